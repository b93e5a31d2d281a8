// How long a place on an SM stays empty: from the last instruction of a CTA to the first of the one that follows it there.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/cta_gap.cu -o cta_gap && ./cta_gap
// Prints, per case (threads of a CTA, CTAs that fit an SM, cycles that each computes, whether it stores last of all: 2, all
// threads do; 1, one does, its times; 0, that one at its begin, and it ends a few cycles after the time given), how many gaps were seen and their least, quartiles, greatest and mean, in cycles of the SM's clock.
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>
#include <cuda_runtime.h>
struct Mark {
  long long start, end;
  unsigned sm, cta;
};
__device__ __forceinline__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
  return t;
}
__global__ void work(Mark* marks, int cycles, int store, int* sink) {
  __shared__ long long first;
  const long long start = now();
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  if (store == 0 && threadIdx.x == 0) marks[blockIdx.x] = {start, start + cycles, sm, blockIdx.x};
  if (threadIdx.x == 0) first = start;
  __syncthreads();
  while (now() - start < cycles) {}
  if (store == 0) return;
  if (store == 2) sink[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(start);
  __syncthreads();
  if (threadIdx.x == 0) marks[blockIdx.x] = {first, now(), sm, blockIdx.x};
}
int main() {
  const int ctas = 132 * 40;
  Mark* d;
  int* sink;
  cudaMalloc(&d, ctas * sizeof(Mark));
  cudaMalloc(&sink, ctas * 1024 * 4);
  std::vector<Mark> h(ctas);
  cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10);
  printf("threads,fit,cycles,store,gaps,least,quarter,half,three_quarters,greatest,mean\n");
  for (int threads : {32, 128, 1024})
    for (int shared : {200, 100, 50})  // KiB: 1, 2, 4 CTAs fit
      for (int cycles : {2000, 20000})
        for (int store : {0, 1, 2}) {
          const int fit = shared == 200 ? 1 : shared == 100 ? 2 : 4;
          if (threads * fit > 2048) continue;
          for (int k = 0; k < 2; ++k) work<<<ctas, threads, shared << 10>>>(d, cycles, store, sink);
          cudaMemcpy(h.data(), d, ctas * sizeof(Mark), cudaMemcpyDeviceToHost);
          std::map<unsigned, std::vector<Mark>> by_sm;
          for (const Mark& m : h) by_sm[m.sm].push_back(m);
          std::vector<long long> gaps;
          for (auto& [sm, list] : by_sm) {
            // Every start but the first ones takes the place of the earliest end that is not taken yet.
            std::sort(list.begin(), list.end(), [](const Mark& a, const Mark& b) { return a.start < b.start; });
            std::vector<long long> ends;
            for (const Mark& m : list) {
              std::sort(ends.begin(), ends.end());
              if (!ends.empty() && ends.front() < m.start && ends.size() >= static_cast<std::size_t>(fit)) {
                gaps.push_back(m.start - ends.front());
                ends.erase(ends.begin());
              }
              ends.push_back(m.end);
            }
          }
          std::sort(gaps.begin(), gaps.end());
          double sum = 0;
          for (const long long g : gaps) sum += static_cast<double>(g);
          const std::size_t n = gaps.size();
          if (n == 0) continue;
          printf("%d,%d,%d,%d,%zu,%lld,%lld,%lld,%lld,%lld,%.1f\n", threads, fit, cycles, store, n, gaps[0], gaps[n / 4],
                 gaps[n / 2], gaps[n * 3 / 4], gaps[n - 1], sum / static_cast<double>(n));
        }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
