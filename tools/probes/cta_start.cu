// When the CTAs of a grid start, by SM: the mean over 400 launches of the global timer (steps of 32 ns), from the first start.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/cta_start.cu -o cta_start && ./cta_start
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__global__ void start(unsigned long long* t, int* sm, long long wait) {
  unsigned long long now;
  int smid;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  asm("mov.u32 %0, %%smid;" : "=r"(smid));
  if (threadIdx.x == 0) t[blockIdx.x] = now, sm[blockIdx.x] = smid;
  for (const long long from = clock64(); clock64() - from < wait;);
}
int main() {
  unsigned long long *t, h[1024];
  int *sm, g[1024];
  cudaMalloc(&t, sizeof h), cudaMalloc(&sm, sizeof g);
  printf("threads,ctas,cta,sm,ns\n");
  for (int threads : {32, 256, 1024})
    for (int n : {16, 64, 132, 264, 528}) {
      std::vector<double> sum(n);
      for (int i = 0; i < 400; ++i) {
        start<<<n, threads>>>(t, sm, 20000);
        cudaMemcpy(h, t, sizeof h, cudaMemcpyDeviceToHost);
        cudaMemcpy(g, sm, sizeof g, cudaMemcpyDeviceToHost);
        const unsigned long long first = *std::min_element(h, h + n);
        for (int c = 0; c < n; ++c) sum[c] += double(h[c] - first) / 400;
      }
      for (int c = 0; c < n; ++c) printf("%d,%d,%d,%d,%.1f\n", threads, n, c, g[c], sum[c]);
    }
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
