// Where the CTAs of small grids go: the SM of each, in the order of CTAs, for grids of 1 to 300 and blocks of several sizes.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/small_grids.cu -o small_grids && ./small_grids
#include <cstdio>
#include <cuda_runtime.h>
__global__ void place(int* sm, long long wait) {
  int smid;
  asm("mov.u32 %0, %%smid;" : "=r"(smid));
  if (threadIdx.x == 0) sm[blockIdx.x] = smid;
  for (const long long from = clock64(); clock64() - from < wait;);
}
int main() {
  int *sm, h[300];
  cudaMalloc(&sm, sizeof h);
  place<<<132, 128>>>(sm, 20000);
  printf("threads,ctas,sms\n");
  for (int threads : {32, 64, 128, 256, 512, 1024})
    for (int n = 1; n <= 300; n += n < 140 ? 1 : 20) {
      place<<<n, threads>>>(sm, 30000);
      cudaMemcpy(h, sm, sizeof h, cudaMemcpyDeviceToHost);
      printf("%d,%d", threads, n);
      for (int i = 0; i < n; ++i) printf("%c%d", i ? ' ' : ',', h[i]);
      printf("\n");
    }
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
