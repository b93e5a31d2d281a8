// Words that the whole card reads and writes at once: what the L2 serves per second of one word, one line, some lines.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/hot_words.cu -o hot_words && ./hot_words
// Prints microseconds of a launch, and cycles of 1980 MHz per warp instruction of the whole card.
#include <cstdio>
#include <cuda_runtime.h>
enum Kind { Store, LoadL2, LoadL1, StoreAndLoadL2, StoreAndLoadL1, OneWriter };
// Lane l works on word (l % distinct) * apart of a place that `warps` neighbouring warps share; places are `far` words apart.
template <int K>
__global__ void words(unsigned* p, unsigned* out, int distinct, int apart, int warps, int far, int rounds) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned* q = p + (threadIdx.x % 32 % distinct) * apart + warp / warps * far;
  unsigned s = 0;
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) {
    unsigned v = 0;
    if (K == Store || K == StoreAndLoadL2 || K == StoreAndLoadL1 || (K == OneWriter && warp == 0)) asm volatile("st.global.u32 [%0], %1;" ::"l"(q), "r"(s + i) : "memory");
    if (K == LoadL2 || K == StoreAndLoadL2) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(q) : "memory");
    if (K == LoadL1 || K == StoreAndLoadL1 || K == OneWriter) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(q) : "memory");
    s ^= v;
  }
  if (s == 0x12345) out[warp] = s;
}
// One warp, or one of each of two SMs: a store and a load of the same word behind it, the load waited for.
__global__ void chain(unsigned* p, long long* t, int rounds, int store, int blocks, int far) {
  if (threadIdx.x >= 32 || (blockIdx.x != 0 && static_cast<int>(blockIdx.x) != blocks)) return;
  unsigned* q = p + (blockIdx.x != 0 ? far : 0);
  unsigned s = 0;
  const long long from = clock64();
  for (int i = 0; i < rounds; ++i) {
    unsigned v;
    if (store) asm volatile("st.global.u32 [%0], %1;" ::"l"(q + (s & 1)), "r"(s) : "memory");
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(q + (s & 1)) : "memory");
    s += v;
  }
  if (s == 0x12345) t[1] = s;
  if (blockIdx.x == 0) t[0] = clock64() - from;
}
template <int K>
void run(const char* name, unsigned* p, unsigned* out, int distinct, int apart, int warps, int far) {
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  const int rounds = 64, blocks = 264, threads = 512;
  float best = 1e9f;
  for (int i = 0; i < 3; ++i) {
    cudaEventRecord(a);
    words<K><<<blocks, threads>>>(p, out, distinct, apart, warps, far, rounds);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    if (ms < best) best = ms;
  }
  printf("%s,%d,%d,%d,%d,%.1f,%.3f\n", name, distinct, apart, warps, far, best * 1000, best * 1e-3 * 1980e6 / (double(blocks) * threads / 32 * rounds));
}
int main() {
  unsigned *p, *out;
  cudaMalloc(&p, 256 << 20), cudaMalloc(&out, 1 << 20);
  cudaMemset(p, 0, 256 << 20);
  const int all = 1 << 20;
#define EACH(...)                                             \
  run<Store>("st", p, out, __VA_ARGS__);                      \
  run<LoadL2>("ld.cg", p, out, __VA_ARGS__);                  \
  run<LoadL1>("ld", p, out, __VA_ARGS__);                     \
  run<StoreAndLoadL2>("st ld.cg", p, out, __VA_ARGS__);       \
  run<StoreAndLoadL1>("st ld", p, out, __VA_ARGS__);          \
  run<OneWriter>("ld, one warp st", p, out, __VA_ARGS__)
  printf("what,blocks that do it,places,cycles\n");
  long long* t = reinterpret_cast<long long*>(out);
  long long h;
  for (int store : {0, 1})
    for (int other : {-1, 1, 2, 16, 17, 40, 80, 120})
      for (int far : {0, 4096}) {
        for (int i = 0; i < 2; ++i) chain<<<132, 1024>>>(p, t, 256, store, other, far);
        cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
        printf("%s,block 0 and %d,%d words apart,%.1f\n", store ? "st ld.cg chain" : "ld.cg chain", other, far, h / 256.0);
      }
  printf("what,words,apart,warps that share,places apart,us,cycles per instruction\n");
  EACH(1, 0, all, 0);    // one word
  EACH(8, 1, all, 0);    // one sector
  EACH(32, 1, all, 0);   // one line
  EACH(32, 8, all, 0);   // 32 sectors of 8 lines
  EACH(32, 32, all, 0);  // 32 lines
  EACH(32, 1, 16, 32);   // a line per block
  EACH(32, 1, 1, 32);    // a line per warp
  EACH(1, 0, 1, 32);     // a word per warp
  EACH(32, 32, 1, 1024); // 32 lines per warp
  EACH(32, 32, 16, 1024);  // 32 lines per block
  return cudaDeviceSynchronize() != cudaSuccess;
}
