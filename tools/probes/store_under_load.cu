// Stores to lines whose loads are still under way from DRAM: what they cost. Each warp of the given CTAs loads a line of its own (32 lanes, 4 or 16 bytes each),
// or one sector of it (8 lanes), stores (nothing, to the same words, to another sector of the line, to another line; or adds to the same words) without waiting, and goes
// on when its load has come; as a kernel that takes values out of an array and leaves zeros.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/store_under_load.cu -o store_under_load && ./store_under_load
// Prints cycles of a round of one load and one store.
#include <cstdio>
#include <cuda_runtime.h>
enum Store { kNothing, kSameWords, kOtherSector, kOtherLine, kSameAfter, kReduction };
template <int S, int Bytes, int Lanes = 32>
__global__ void __launch_bounds__(1024) go(unsigned* p, unsigned* q, long long* t, int rounds) {
  const int lane = threadIdx.x % 32;
  const long warp = (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32, warps = gridDim.x * (long)blockDim.x / 32;
  unsigned s = 0;
  __syncthreads();
  const long long begin = clock64();
  for (int r = 0; r < rounds; ++r) {
    unsigned* a = p + (r * warps + warp) * 128 + lane * (Bytes / 4);
    unsigned* to = S == kOtherLine ? q + (a - p) : S == kOtherSector ? a + 8 : a;
    unsigned x = 0, x1 = 0, x2 = 0, x3 = 0;
    if (lane >= Lanes) continue;
    if (Bytes == 16) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(x1), "=r"(x2), "=r"(x3) : "l"(a) : "memory");
    else asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a) : "memory");
    if (S == kSameAfter) {
      s += x + x1 + x2 + x3;
      if (s == 0x12345678) break;
    }
    if (S == kReduction) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to), "r"(r) : "memory");
    else if (S != kNothing && Bytes == 16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(to), "r"(r) : "memory");
    else if (S != kNothing) asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(r) : "memory");
    s += x + x1 + x2 + x3;
    if (s == 0x12345678) break;
  }
  const long long end = clock64();
  if (lane == 0) atomicMax((unsigned long long*)t, (unsigned long long)(end - begin));
}
unsigned *p, *q, *flush;
long long* t;
template <int S, int Bytes, int Lanes = 32>
void run(const char* store, int ctas, int warps) {
  constexpr int kRounds = 8;
  cudaMemset(flush, 0, 256 << 20);
  cudaMemset(t, 0, 8);
  go<S, Bytes, Lanes><<<ctas, 32 * warps>>>(p, q, t, kRounds);
  long long h;
  cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
  printf("%s,%d,%d,%d,%d,%.0f\n", store, Lanes, Bytes, ctas, warps, double(h) / kRounds);
}
template <int Bytes>
void line(int ctas, int warps) {
  run<kNothing, Bytes>("none", ctas, warps), run<kSameWords, Bytes>("same words", ctas, warps), run<kSameAfter, Bytes>("same words after the load", ctas, warps), run<kOtherLine, Bytes>("other line", ctas, warps);
}
int main() {
  cudaMalloc(&p, 32 << 20), cudaMalloc(&q, 32 << 20), cudaMalloc(&t, 64), cudaMalloc(&flush, 256 << 20);
  cudaMemset(p, 0, 32 << 20), cudaMemset(q, 0, 32 << 20);
  printf("store,lanes,bytes,CTAs,warps,cycles of a round\n");
  for (int ctas : {1, 42, 132})
    for (int warps : {1, 4, 16}) {
      line<4>(ctas, warps), line<16>(ctas, warps);
      run<kNothing, 4, 8>("none", ctas, warps), run<kSameWords, 4, 8>("same words", ctas, warps), run<kOtherSector, 4, 8>("other sector", ctas, warps), run<kOtherLine, 4, 8>("other line", ctas, warps);
      run<kSameWords, 4, 1>("same words", ctas, warps), run<kReduction, 4, 8>("reduction", ctas, warps), run<kReduction, 4, 32>("reduction", ctas, warps);
    }
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
