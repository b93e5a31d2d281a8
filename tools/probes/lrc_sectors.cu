// Do requests for different sectors of a line merge? Like lrc_table.cu: 16 CTAs of a cluster, one per SM; SM 0 reads the
// sectors `first` of 8 lines per warp, SM 2 (another TPC) `delay` cycles later the sectors `second`.
//   nvcc -O3 -std=c++17 -arch=sm_90 lrc_sectors.cu -o lrc_sectors
//   ncu --csv --clock-control none --cache-control all -k probe --metrics l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum,lts__t_requests_srcunit_tex_op_read.sum ./lrc_sectors
#include <cstdio>
#include <cuda_runtime.h>
constexpr int kRounds = 64;
__global__ void __cluster_dims__(16) probe(const char* a, int first, int second, int delay, int cached, unsigned* sink) {
  extern __shared__ char hold[];
  unsigned r, v = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  const int mine = r == 0 ? first : r == 2 ? second : 0;
  for (int k = 0; k < kRounds; ++k) {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (!(mine >> (threadIdx.x & 3) & 1)) continue;
    const long long from = clock64();
    if (r) while (clock64() - from < delay);
    const char* at = a + (k * 32L + threadIdx.x) * 32;
    if (cached) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at));
    else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
    if (v == 12345) sink[100] = hold[0];
  }
}
int main() {
  char* a; unsigned* sink;
  cudaMalloc(&a, 1 << 20); cudaMemset(a, 0, 1 << 20); cudaMalloc(&sink, 4096);
  cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaFuncSetAttribute(probe, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  int masks[][2] = {{1, 0}, {15, 0}, {1, 1}, {3, 3}, {15, 15}, {1, 2}, {3, 12}, {3, 1}, {3, 2}, {1, 3}, {15, 1}, {15, 3}, {15, 12}, {1, 15}, {3, 15}, {3, 6}, {6, 3}, {7, 14}};
  for (int cached : {0, 1}) for (int d : {0, 100}) for (auto& m : masks) {
    probe<<<16, 32, 200 << 10>>>(a, m[0], m[1], d, cached, sink);
    printf("case,%d,%d,%d,%d,%s\n", cached, d, m[0], m[1], cudaGetErrorString(cudaDeviceSynchronize()));
  }
}
