// How long a request of one SM can be joined by another SM of its GPC, by the shape of the requests and the load around them.
//   nvcc -O3 -std=c++17 -arch=sm_90 tools/probes/lrc_window.cu -o lrc_window
//   ncu --csv --clock-control none --cache-control all|none -k probe --metrics l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum ./lrc_window      (all: L2 cold, none: warm)
// 16 CTAs of a cluster (so one GPC), one per SM, meet at a barrier before each round. The first `sms` of them (in steps of
// `apart`) read the same lines in the same order; the k-th waits k * delay cycles. Each warp reads lines of its own:
// `loads` loads one after the other, each waiting for the one before (chain) or not.
#include <cstdio>
#include <cuda_runtime.h>
struct Case {
  int warps, loads, shape, chain, sms, apart, delay;  // shape: 0 one line of 4 sectors, 1 32 lines of one sector, 2 four lines
};
constexpr int kRounds = 16;
__global__ void warm(const char* a, long bytes) {
  for (long i = (blockIdx.x * 1024L + threadIdx.x) * 32; i < bytes; i += gridDim.x * 32768L)
    asm volatile("{.reg .u32 t; ld.global.cg.u32 t, [%0];}" ::"l"(a + i));
}
__device__ __forceinline__ unsigned load(const char* p, bool wide) {
  unsigned v;
  if (wide) {
    unsigned y, z, w;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v), "=r"(y), "=r"(z), "=r"(w) : "l"(p));
    v |= y | z | w;
  } else {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
  }
  return v;
}
__global__ void __cluster_dims__(16) probe(const char* a, Case c, unsigned* sink) {
  extern __shared__ char hold[];
  unsigned r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  const bool takes_part = r % c.apart == 0 && r / c.apart < c.sms;
  const int turn = r / c.apart, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long step = c.shape == 0 ? 128 : c.shape == 1 ? 4096 : 512;
  const long at = c.shape == 0 ? lane * 4 : c.shape == 1 ? lane * 128 : lane * 16;
  unsigned all = 0;
  for (int k = 0; k < kRounds; ++k) {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (takes_part && warp < c.warps) {
      const char* p = a + ((long)(k * c.warps + warp) * c.loads) * step + at;
      const long long from = clock64();
      while (clock64() - from < turn * c.delay);
      if (c.chain) {
        for (int i = 0; i < c.loads; ++i) { const unsigned v = load(p, c.shape == 2); all |= v; p += step + v; }  // memory is zero
      } else {
#pragma unroll 8
        for (int i = 0; i < c.loads; ++i) { all |= load(p, c.shape == 2); p += step; }
      }
    }
    __syncthreads();
  }
  if (all == 12345) sink[0] = hold[0];
}
int main() {
  const long bytes = 64L << 20;
  char* a; unsigned* sink;
  cudaMalloc(&a, bytes); cudaMemset(a, 0, bytes); cudaMalloc(&sink, 4096);
  cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaFuncSetAttribute(probe, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  int i = 0;
  auto go = [&](Case c) {
    const long used = (long)kRounds * c.warps * c.loads * (c.shape == 0 ? 128 : c.shape == 1 ? 4096 : 512);
    if (used > bytes) { printf("too large\n"); return; }
    warm<<<64, 1024>>>(a, used);
    probe<<<16, 1024, 200 << 10>>>(a, c, sink);
    cudaDeviceSynchronize();
    printf("case,%d,%d,%d,%d,%d,%d,%d,%d,%s\n", i++, c.warps, c.loads, c.shape, c.chain, c.sms, c.apart, c.delay, cudaGetErrorString(cudaGetLastError()));
  };
  const int delays[] = {0, 10, 20, 30, 40, 50, 60, 80, 100, 130, 160, 200, 250, 300, 400};
  for (int apart : {1, 2}) for (int d : delays) go({1, 1, 0, 0, 2, apart, d});  // one request in flight
  for (int d : delays) go({1, 1, 2, 0, 2, 2, d});      // four lines
  for (int d : delays) go({1, 1, 1, 0, 2, 2, d});      // 32 sectors
  for (int d : delays) go({1, 32, 0, 1, 2, 2, d});     // one warp, chain of single lines
  for (int d : delays) go({1, 32, 0, 0, 2, 2, d});     // one warp, 8 in flight
  for (int d : delays) go({8, 1, 0, 0, 2, 2, d});      // eight warps, one line each
  for (int d : delays) go({32, 1, 0, 0, 2, 2, d});     // 32 warps, one line each
  for (int d : delays) go({8, 32, 0, 1, 2, 2, d});     // eight warps, chains
  for (int d : delays) go({8, 32, 0, 0, 2, 2, d});
  for (int d : delays) go({8, 32, 2, 0, 2, 2, d});     // as lrc_probe
  for (int k : {2, 3, 4, 5, 8, 16}) go({1, 1, 0, 0, k, 1, 0});
  for (int k : {2, 3, 4, 5, 8, 16}) go({8, 32, 0, 1, k, 1, 0});
  for (int k : {2, 3, 4, 5, 8, 16}) go({8, 32, 0, 1, k, 1, 10});
  for (int k : {2, 3, 4, 5, 8, 16}) go({8, 1, 0, 0, k, 1, 10});
  for (int k : {2, 4, 8, 16}) go({32, 32, 0, 1, k, 1, 0});
}
