// What it costs to execute code for the first time. A kernel passes three times through N instructions that do not depend on each other (eight chains): straight
// ahead; in runs, each followed by a jump over a gap; or after it has waited for memory (gap -1), so that code may be fetched ahead. The clock is read by every warp
// before and behind each pass.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/cold_code.cu -o cold_code && ./cold_code
//   ncu --cache-control all --clock-control none --metrics sm__cycles_active.max ./cold_code ncu      (caches as in a profile)
// Prints cycles of each pass from the first warp's beginning to the last one's end, the most of any CTA, in a first launch after much other code and memory (cold) and in a second one behind it (warm).
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#define FMA(K) asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[(K) % 8]) : "f"(y))
// Blocks of `Run` instructions; behind each, `Gap` that are jumped over.
template <int N, int Run, int Gap>
__global__ void __launch_bounds__(1024) code(long long* t, float y, int never, const unsigned* far) {
  __shared__ unsigned long long first, last;
  float x[8];
  for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
#pragma unroll 1
  for (int pass = 0; pass < 3; ++pass) {
    if (threadIdx.x == 0) first = ~0ull, last = 0;
    __syncthreads();
    unsigned v = 0;
    if (Gap < 0) {
#pragma unroll
      for (int k = 0; k < 4; ++k) asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(v) : "l"(far + v + k * 4096 + blockIdx.x * 65536));
      if (v != 0) t[7] = v;
    }
    const unsigned long long from = clock64();
#pragma unroll
    for (int i = 0; i < N / Run; ++i) {
#pragma unroll
      for (int k = 0; k < Run; ++k) FMA(k);
      if (Gap > 0 && never) {
#pragma unroll
        for (int k = 0; k < Gap; ++k) FMA(k);
      }
    }
    const unsigned long long to = clock64();
    if (threadIdx.x % 32 == 0) atomicMin(&first, from), atomicMax(&last, to);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax((unsigned long long*)t + pass, last - first);
    __syncthreads();
  }
  float s = 0;
  for (int k = 0; k < 8; ++k) s += x[k];
  if (s == 12345.0f) t[7] = s;
}
// Constants read for the first time: line after line of 64 bytes, each address from the word before.
__constant__ unsigned table[16384];
__global__ void constants(long long* t, int lines, int step) {
  unsigned at = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const long long from = clock64();
#pragma unroll 1
    for (int i = 0; i < lines; ++i) {
      unsigned v;
      asm volatile("ld.const.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_constant(table + at)));
      at += step + v;
    }
    at -= lines * step;
    const long long to = clock64() + at;
    if (threadIdx.x == 0) atomicMax((unsigned long long*)t + pass, (unsigned long long)(to - from));
  }
}
// The same by a counter that all lanes share, as the compiler likes it: four words of each 16 bytes, `Step` words apart.
template <int Step>
__global__ void counted(long long* t, int count) {
  float s = threadIdx.x;
  for (int pass = 0; pass < 3; ++pass) {
    __syncthreads();
    const long long from = clock64();
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
      const float4 v = *reinterpret_cast<const float4*>(table + i * Step);
      s = s * v.x + v.y * s + v.z * s + v.w;
    }
    if (s == 12345.0f) t[7] = 1;
    __syncthreads();
    if (threadIdx.x == 0) atomicMax((unsigned long long*)t + pass, (unsigned long long)(clock64() - from));
  }
}
struct Parameters {
  unsigned v[960];
};
__global__ void parameters(long long* t, int lines, int step, const __grid_constant__ Parameters p) {
  unsigned at = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const long long from = clock64();
#pragma unroll 1
    for (int i = 0; i < lines; ++i) at += step + p.v[at];
    at -= lines * step;
    const long long to = clock64() + at;
    if (threadIdx.x == 0) atomicMax((unsigned long long*)t + pass, (unsigned long long)(to - from));
  }
}
// Other code, more of it than any cache of instructions holds.
template <int N>
__global__ void other(float* o, float y) {
  float x[8];
  for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
#pragma unroll
  for (int k = 0; k < N; ++k) FMA(k);
  float s = 0;
  for (int k = 0; k < 8; ++k) s += x[k];
  o[threadIdx.x] = s;
}
long long* t;
float *o, *flush;
unsigned* far;
bool profiled;
template <class Launch>
void passes(const char* what, int n, int run, int gap, int ctas, int warps, Launch launch) {
  long long h[2][3];
  if (!profiled) {
    other<20000><<<132, 128>>>(o, 1);
    cudaMemset(flush, 1, 256 << 20);
  }
  for (int k = 0; k < 2; ++k) {
    cudaMemset(t, 0, 64);
    launch();
    cudaMemcpy(h[k], t, 24, cudaMemcpyDeviceToHost);
    printf("%s,%d,%d,%d,%d,%d,%s,%lld,%lld,%lld\n", what, n, run, gap, ctas, warps, profiled ? (k ? "profiled again" : "profiled") : k ? "warm" : "cold", h[k][0], h[k][1], h[k][2]);
  }
}
template <int N, int Run, int Gap>
void line() {
  for (int ctas : {1, 16, 132})
    for (int warps : {1, 4, 16}) passes("code", N, Run, Gap, ctas, warps, [&] { code<N, Run, Gap><<<ctas, 32 * warps>>>(t, 1, 0, far); });
}
int main(int c, char**) {
  profiled = c > 1;
  cudaMalloc(&t, 64), cudaMalloc(&o, 4096), cudaMalloc(&flush, 256 << 20), cudaMalloc(&far, 64 << 20), cudaMemset(far, 0, 64 << 20);
  printf("what,instructions,run,gap,CTAs,warps,launch,first pass,second pass,third pass\n");
  line<32, 32, 0>(), line<64, 64, 0>(), line<128, 128, 0>(), line<256, 256, 0>(), line<512, 512, 0>(), line<1024, 1024, 0>(), line<1536, 1536, 0>(), line<2048, 2048, 0>(), line<3072, 3072, 0>(), line<4096, 4096, 0>(), line<8192, 8192, 0>();
  line<64, 64, -1>(), line<256, 256, -1>(), line<1024, 1024, -1>();
  line<256, 64, 64>(), line<256, 32, 32>(), line<256, 16, 16>(), line<256, 16, 48>(), line<256, 16, 112>(), line<256, 16, 240>(), line<1024, 64, 64>(), line<1024, 64, 192>();
  Parameters p{};
  for (int ctas : {1, 132}) {
    for (int lines : {1, 2, 4, 8, 16, 32, 64, 256}) passes("constants", lines, 1, 0, ctas, 1, [&] { constants<<<ctas, 32>>>(t, lines, 16); });
    for (int lines : {1, 4, 16, 64, 256})
      for (int warps : {1, 8}) {
        passes("counted words", 4 * lines, 1, 0, ctas, warps, [&] { counted<4><<<ctas, 32 * warps>>>(t, 4 * lines); });
        passes("counted lines", lines, 1, 0, ctas, warps, [&] { counted<16><<<ctas, 32 * warps>>>(t, lines); });
      }
    for (int lines : {1, 2, 4, 8, 16, 32}) passes("parameters", lines, 1, 0, ctas, 1, [&] { parameters<<<ctas, 32>>>(t, lines, 16, p); });
  }
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
