// Which SM gets which CTA, which SMs are a GPC, and the clocks.
//   nvcc -O3 -std=c++17 -arch=sm_90 placement.cu -o placement && ./placement
//   ncu --csv --clock-control none -k place --metrics lts__cycles_elapsed.avg,gpc__cycles_elapsed.max,l1tex__cycles_elapsed.avg,
//     dram__cycles_elapsed.avg,lrc__cycles_elapsed.avg ./placement
#include <cstdio>
#include <cuda_runtime.h>
__device__ void note(int* at, long long wait) {
  int smid;
  asm("mov.u32 %0, %%smid;" : "=r"(smid));
  if (threadIdx.x == 0) *at = smid;
  for (const long long from = clock64(); clock64() - from < wait;);
}
__global__ void place(int* sm) { note(sm + blockIdx.x, 60000); }
__global__ void __cluster_dims__(16) gpc(int* sm) { note(sm + blockIdx.x, 400000); }
int main() {
  int *sm, h[2048];
  cudaMalloc(&sm, sizeof h);
  cudaFuncSetAttribute(gpc, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaFuncSetAttribute(gpc, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  auto show = [&](const char* what, int n) {
    cudaMemcpy(h, sm, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s,%d", what, n);
    for (int i = 0; i < n; ++i) printf(",%d", h[i]);
    printf(" %s\n", cudaGetErrorString(cudaGetLastError()));
  };
  gpc<<<112, 32, 200 << 10>>>(sm); show("clusters of 16", 112);
  for (int b : {128, 256}) for (int n : {4, 8, 132, 256, 1024}) place<<<n, b>>>(sm), show(b == 128 ? "CTAs of 128" : "CTAs of 256", n);
}
