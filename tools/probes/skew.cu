// How far apart SMs run that do the same: when CTAs start, and when they come to the same load of a loop.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/skew.cu -o skew && ./skew
// Prints, per case and SM of a GPC, cycles since the first CTA's start: at the start, before every 32nd iteration, at the end.
// Clocks of SMs are compared after a cluster barrier first.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
__device__ __forceinline__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
  return t;
}
__global__ void __cluster_dims__(16) clocks(long long* t) {
  unsigned smid;
  asm("mov.u32 %0, %%smid;" : "=r"(smid));
  for (int k = 0; k < 4; ++k) {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    const long long at = now();
    if (threadIdx.x == 0) t[(blockIdx.x * 8) + k] = at, t[blockIdx.x * 8 + 7] = smid;
  }
}
template <bool B>
__global__ void mm(const float* a, float* c, long long* marks, int n) {
  const long long start = now();
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  long long at[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    at[k] = now();
#pragma unroll 4
    for (int i = k * 32; i < k * 32 + 32; i++) s += B ? a[i * n + col] : a[row * n + i];
  }
  c[row * n + col] = s;
  const long long end = now();
  if (threadIdx.x % 16 == 0 && threadIdx.y % 2 == 0) {
    long long* m = marks + ((blockIdx.y * gridDim.x + blockIdx.x) * 8 + threadIdx.y / 2) * 12;
    unsigned smid;
    asm("mov.u32 %0, %%smid;" : "=r"(smid));
    m[0] = start, m[9] = end, m[10] = smid;
    for (int k = 0; k < 8; ++k) m[k + 1] = at[k];
  }
}
__global__ void flush(float* a, long n) {
  for (long i = blockIdx.x * 1024L + threadIdx.x; i < n; i += gridDim.x * 1024L) a[i] += 1;
}
int main() {
  const int n = 256;
  float *a, *c, *big;
  long long *t, h[256 * 8 * 12];
  cudaMalloc(&a, n * n * 4), cudaMalloc(&c, n * n * 4), cudaMalloc(&t, sizeof h), cudaMalloc(&big, 256 << 20);
  cudaMemset(a, 0, n * n * 4);
  cudaFuncSetAttribute(clocks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  clocks<<<32, 32>>>(t);
  cudaMemcpy(h, t, sizeof h, cudaMemcpyDeviceToHost);
  for (int b = 0; b < 32; ++b) printf("clock,%d,%lld,%lld,%lld,%lld\n", b, h[b * 8 + 7], h[b * 8 + 1] - h[b / 16 * 128 + 1], h[b * 8 + 2] - h[b / 16 * 128 + 2], h[b * 8 + 3] - h[b / 16 * 128 + 3]);
  for (int gy : {1, 2, 4, 8, 16})
    for (int b : {0, 1}) for (int cold : {1, 0}) {
      if (cold) flush<<<132, 1024>>>(big, 64 << 20);
      if (b) mm<true><<<dim3(16, gy), dim3(16, 16)>>>(a, c, t, n);
      else mm<false><<<dim3(16, gy), dim3(16, 16)>>>(a, c, t, n);
      cudaMemcpy(h, t, sizeof h, cudaMemcpyDeviceToHost);
      for (int cta = 0; cta < 16 * gy; ++cta)
        for (int w = 0; w < 8; w += 4) {
          printf("%s,%d,%d,%d,%d", b ? "b" : "a", gy, cold, cta, w);
          for (int k = 0; k < 11; ++k) printf(",%lld", k < 10 ? h[(cta * 8 + w) * 12 + k] - h[0] : h[(cta * 8 + w) * 12 + k]);
          printf("\n");
        }
    }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
