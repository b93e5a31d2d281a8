// What an SM pays to reach memory of another SM of its GPC: shared memory of a CTA cluster (sm_90 on), the one way between SMs that
// a card has. Latency of a chase in the own and in a neighbour's shared memory, bytes per clock of one SM and of all SMs.
//   nvcc -O3 -std=c++17 -arch=sm_90 remote_shared.cu -o remote_shared && ./remote_shared
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
constexpr int kWords = 4096, kSteps = 1024;
// A chain through all words of the neighbour that is `hop` CTAs further on; 0: of the own CTA.
__global__ void chase(int hop, long long* cycles) {
  extern __shared__ unsigned mine[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) mine[i] = (i + 97) % kWords;
  cluster.sync();
  unsigned* there = cluster.map_shared_rank(mine, (cluster.block_rank() + hop) % cluster.num_blocks());
  unsigned at = 0;
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    const long long from = clock64();
    for (int i = 0; i < kSteps; ++i) at = there[at];
    cycles[0] = clock64() - from;
    cycles[1] = at;
  }
  cluster.sync();
}
// Every thread reads 16 bytes at a time; CTA r of a cluster reads of CTA r + hop.
__global__ void stream(int hop, int rounds, long long* cycles, float* sink) {
  extern __shared__ unsigned mine[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) mine[i] = i;
  cluster.sync();
  const float4* there = (const float4*)cluster.map_shared_rank(mine, (cluster.block_rank() + hop) % cluster.num_blocks());
  float sum = 0;
  const long long from = clock64();
  for (int n = 0; n < rounds; ++n)
    for (int i = threadIdx.x; i < kWords / 4; i += blockDim.x) {
      const float4 v = there[i];
      sum += v.x + v.y + v.z + v.w;
    }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - from;
  if (sum == -1) *sink = sum;
  cluster.sync();
}
template <class K, class... A>
void go(K kernel, int ctas, int cluster, int threads, A... a) {
  cudaLaunchConfig_t c = {};
  c.gridDim = ctas; c.blockDim = threads; c.dynamicSmemBytes = 160 << 10;  // one CTA to an SM
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = cluster; attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  c.attrs = attribute; c.numAttrs = 1;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 << 10);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaLaunchKernelEx(&c, kernel, a...);
  cudaDeviceSynchronize();
}
int main() {
  long long *t, h[256]; float* sink;
  cudaMalloc(&t, sizeof h); cudaMalloc(&sink, 4);
  for (int cluster : {2, 8, 16})
    for (int hop : {0, 1, cluster / 2, cluster - 1}) {
      for (int i = 0; i < 2; ++i) go(chase, cluster, cluster, 32, hop, t);
      cudaMemcpy(h, t, 16, cudaMemcpyDeviceToHost);
      printf("latency,cluster %d,hop %d,%.1f cycles,%s\n", cluster, hop, (double)h[0] / kSteps, cudaGetErrorString(cudaGetLastError()));
    }
  for (int cluster : {2, 8, 16})
    for (int hop : {0, 1})
      for (int ctas : {cluster, 128}) {
        for (int i = 0; i < 2; ++i) go(stream, ctas, cluster, 1024, hop, 256, t, sink);
        cudaMemcpy(h, t, sizeof(long long) * ctas, cudaMemcpyDeviceToHost);
        double mean = 0;
        for (int i = 0; i < ctas; ++i) mean += 256.0 * kWords * 4 / h[i] / ctas;
        printf("bandwidth,cluster %d,hop %d,%d CTAs,%.1f bytes per clock and SM,%s\n", cluster, hop, ctas, mean, cudaGetErrorString(cudaGetLastError()));
      }
}
