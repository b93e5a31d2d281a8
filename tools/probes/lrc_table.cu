// The unit that merges L1 misses of a GPC ahead of L2: how long a request can be joined, by how many, and how many are held.
//   nvcc -O3 -std=c++17 -arch=sm_90 lrc_table.cu -o lrc_table
//   ncu --csv --clock-control none --cache-control all|none -k probe --metrics l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum ./lrc_table      (all: L2 cold, none: warm)
// 16 CTAs of a cluster (so one GPC), one per SM, meet at a barrier before each round. Groups of SMs read the same n lines,
// each thread one; those that are not the first of their group wait `delay` cycles.
#include <cstdio>
#include <cuda_runtime.h>
struct Case {
  int n, stride, delay, apart, groups;  // apart 1: pairs r, r^1 (a TPC); 2: r, r^2; 0: the first `groups` SMs are one group
};
constexpr int kRounds = 8;
__global__ void warm(const char* a, long bytes) {
  for (long i = (blockIdx.x * 1024L + threadIdx.x) * 32; i < bytes; i += gridDim.x * 32768L)
    asm volatile("{.reg .u32 t; ld.global.cg.u32 t, [%0];}" ::"l"(a + i));
}
__global__ void __cluster_dims__(16) probe(const char* a, Case c, unsigned* sink) {
  extern __shared__ char hold[];
  unsigned r, smid;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  asm("mov.u32 %0, %%smid;" : "=r"(smid));
  if (threadIdx.x == 0) sink[r] = smid;
  const bool first = c.apart ? !(r & c.apart) : r == 0;
  const int group = c.apart == 1 ? r >> 1 : c.apart == 2 ? (r >> 2) * 2 + (r & 1) : 0;
  const bool takes_part = c.apart ? group < c.groups : r < c.groups;
  for (int k = 0; k < kRounds; ++k) {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (!takes_part || threadIdx.x >= c.n) continue;
    const long long from = clock64();
    if (!first) while (clock64() - from < c.delay);
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a + ((k * 8L + group) * c.n + threadIdx.x) * c.stride));
    if (v == 12345) sink[100] = hold[0];
  }
}
int main() {
  const long bytes = 8L << 20;
  char* a; unsigned *sink, sm[16];
  cudaMalloc(&a, bytes); cudaMemset(a, 0, bytes); cudaMalloc(&sink, 4096);
  cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaFuncSetAttribute(probe, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  int i = 0;
  auto go = [&](Case c) {
    warm<<<64, 1024>>>(a, bytes);
    probe<<<16, 1024, 200 << 10>>>(a, c, sink);
    cudaMemcpy(sm, sink, 64, cudaMemcpyDeviceToHost);
    printf("case,%d,%d,%d,%d,%d,%d,%d,%d,%d,%s\n", i++, c.n, c.stride, c.delay, c.apart, c.groups, sm[0], sm[1], sm[2], cudaGetErrorString(cudaGetLastError()));
  };
  for (int apart : {1, 2}) for (int d : {0, 20, 40, 60, 80, 100, 130, 160, 200, 250, 300, 400, 500, 600, 800, 1000}) go({32, 128, d, apart, 1});
  for (int k : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16}) go({32, 128, 0, 0, k});
  for (int g : {1, 2, 4, 8}) for (int n : {32, 64, 128, 256, 512, 1024}) go({n, 128, 0, 2, g});
  for (int g : {1, 8}) for (int n : {128, 256, 512, 1024}) go({n, 32, 0, 2, g});
  for (int n : {64, 128, 256, 512, 1024}) go({n, 128, 200, 2, 1});
  for (int n : {64, 128, 256, 512, 1024}) go({n, 128, 200, 2, 8});
}
