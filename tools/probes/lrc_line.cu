// Which requests for one line merge when SMs ask for its sectors one after the other, and how a stream of requests of several
// SMs merges, by the distance of its loads and by how many are in flight.
//   nvcc -O3 -std=c++17 -arch=sm_90 tools/probes/lrc_line.cu -o lrc_line
//   ncu --csv --clock-control none --cache-control all|none -k probe --metrics l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum,lts__t_requests_srcunit_tex_op_read.sum ./lrc_line
// 16 CTAs of a cluster (one GPC), one per SM, meet at a barrier before each round. The first `sms` of them read the same; the
// k-th waits k * delay cycles. Each of `warps` warps reads `loads` pieces of `sectors` sectors, `stride` bytes apart, the next one
// `gap` cycles after the one before; nobody waits for data before the round's end. cached: ld.ca instead of ld.cg.
#include <cstdio>
#include <cuda_runtime.h>
struct Case {
  int cached, warps, loads, sectors, stride, gap, sms, delay;
};
constexpr int kRounds = 16;
__global__ void warm(const char* a, long bytes) {
  for (long i = (blockIdx.x * 1024L + threadIdx.x) * 32; i < bytes; i += gridDim.x * 32768L)
    asm volatile("{.reg .u32 t; ld.global.cg.u32 t, [%0];}" ::"l"(a + i));
}
template <bool Cached>
__device__ __forceinline__ unsigned load(const char* p) {
  unsigned v;
  if (Cached) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p));
  else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
__device__ __forceinline__ void wait(long long from, int cycles) {
  while (clock64() - from < cycles);
}
template <bool Cached, int Loads>
__device__ unsigned read(const char* p, const Case& c) {
  unsigned v[Loads], all = 0;
  const long long from = clock64();
#pragma unroll
  for (int i = 0; i < Loads; ++i) {
    if (c.gap > 0) wait(from, i * c.gap);
    v[i] = load<Cached>(p + (long)i * c.stride);
  }
#pragma unroll
  for (int i = 0; i < Loads; ++i) all |= v[i];
  return all;
}
template <bool Cached>
__device__ unsigned read(const char* p, const Case& c) {
  return c.loads == 1 ? read<Cached, 1>(p, c) : c.loads == 2 ? read<Cached, 2>(p, c) : c.loads == 4 ? read<Cached, 4>(p, c) : read<Cached, 16>(p, c);
}
__global__ void __cluster_dims__(16) probe(const char* a, Case c, unsigned* sink) {
  extern __shared__ char hold[];
  unsigned r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long span = 4096;  // a warp's own region in a round
  unsigned all = 0;
  for (int k = 0; k < kRounds; ++k) {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if ((int)r < c.sms && warp < c.warps) {
      const char* p = a + (long)(k * c.warps + warp) * span + lane % (8 * c.sectors) * 4;
      wait(clock64(), r * c.delay);
      all |= c.cached ? read<true>(p, c) : read<false>(p, c);
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
  auto go = [&](Case c) {
    warm<<<64, 1024>>>(a, (long)kRounds * c.warps * 4096);
    probe<<<16, 1024, 200 << 10>>>(a, c, sink);
    cudaDeviceSynchronize();
    printf("case,%d,%d,%d,%d,%d,%d,%d,%d,%s\n", c.cached, c.warps, c.loads, c.sectors, c.stride, c.gap, c.sms, c.delay, cudaGetErrorString(cudaGetLastError()));
  };
  // Two SMs: neighbouring sectors of a line, other lines, the second SM before or after the first one's second request.
  for (int cached : {0, 1}) for (int stride : {32, 64, 128}) for (int gap : {0, 40, 100}) for (int delay : {0, 20, 60, 150}) go({cached, 1, 2, 1, stride, gap, 2, delay});
  for (int stride : {32, 128}) for (int delay : {0, 20, 60, 150}) go({1, 1, 4, 1, stride, 0, 2, delay});
  // As many SMs as a GPC has, one or eight warps, 1 to 16 loads in flight.
  for (int warps : {1, 8}) for (int loads : {1, 2, 4, 16}) for (int sectors : {1, 2}) for (int stride : {32, 64, 128}) for (int sms : {2, 4, 16}) for (int delay : {0, 10}) go({1, warps, loads, sectors, stride, 0, sms, delay});
}
