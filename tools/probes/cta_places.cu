// Where CTAs of larger grids go, in which order, and which scheduler their warps have.
//   nvcc -O3 -std=c++17 -arch=sm_90 cta_places.cu -o cta_places && ./cta_places > places.csv 2> warps.csv
// places: SM of each CTA in the order of CTAs, and when it began (ns from the first one); all CTAs of a launch take `wait` cycles,
// or, for wait -1, 2,000 to 40,000 by a hash of their number. warps: %warpid of each warp of the CTAs of SM 128, in the order of CTAs.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

struct Note {
  int sm, warps[32];
  long long from;
};

__global__ void place(Note* notes, long long wait) {
  int sm, warp;
  long long now;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  Note& n = notes[blockIdx.x];
  if (threadIdx.x == 0) n.sm = sm, n.from = now;
  if (threadIdx.x % 32 == 0) n.warps[threadIdx.x / 32] = warp;
  if (wait < 0) wait = 2000 + (blockIdx.x * 2654435761u >> 8) % 38000;
  for (const long long from = clock64(); clock64() - from < wait;);
}

int main() {
  constexpr int kMost = 4224;
  Note *notes, *h = new Note[kMost];
  cudaMalloc(&notes, kMost * sizeof(Note));
  printf("threads,wait,ctas,run,what,values\n");
  fprintf(stderr, "threads,wait,ctas,cta,warpids\n");
  const auto one = [&](int threads, int ctas, long long wait, int run) {
    place<<<ctas, threads>>>(notes, wait);
    cudaMemcpy(h, notes, ctas * sizeof(Note), cudaMemcpyDeviceToHost);
    long long first = h[0].from;
    for (int i = 0; i < ctas; ++i) first = std::min(first, h[i].from);
    printf("%d,%lld,%d,%d,sm,", threads, wait, ctas, run);
    for (int i = 0; i < ctas; ++i) printf("%d%c", h[i].sm, i + 1 < ctas ? ' ' : '\n');
    printf("%d,%lld,%d,%d,ns,", threads, wait, ctas, run);
    for (int i = 0; i < ctas; ++i) printf("%lld%c", h[i].from - first, i + 1 < ctas ? ' ' : '\n');
    for (int i = 0; run == 0 && i < ctas; ++i)
      if (h[i].sm == 128) {
        fprintf(stderr, "%d,%lld,%d,%d,", threads, wait, ctas, i);
        for (int w = 0; w < threads / 32; ++w) fprintf(stderr, "%d%c", h[i].warps[w], w + 1 < threads / 32 ? ' ' : '\n');
      }
  };
  one(256, 264, 60000, -1);  // warms up
  for (int threads : {32, 64, 96, 128, 192, 256, 384, 512, 1024})
    for (int ctas : {400, 1024}) one(threads, ctas, 60000, 0);
  for (int run : {1, 2}) one(256, 1024, 60000, run);
  for (int ctas : {264, 528, 792, 1056, 2112}) one(256, ctas, 60000, 0);
  for (int threads : {128, 256, 1024}) one(threads, 2112, 0, 0), one(threads, 2112, 3000, 0), one(threads, 4224, -1, 0);
  if (const cudaError_t e = cudaDeviceSynchronize()) return fprintf(stderr, "%s\n", cudaGetErrorString(e)), 1;
}
