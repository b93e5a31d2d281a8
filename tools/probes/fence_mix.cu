// What a fence takes in the middle of other warps' fences and accesses, which do not run in step: the shape of a lock.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/fence_mix.cu -o fence_mix && ./fence_mix
// Each warp goes round: a pause of its own length (0 to `pause` cycles), an atomic, a load past the L1 and a store, as asked for, of `lanes` lanes to words
// of a table that all share (or to lines of the warp's own: table 0), then a fence of the GPU (or none). Cycles are means over all warps and rounds.
#include <cstdio>
#include <cuda_runtime.h>
struct Shape {
  int ctas, warps, lanes, table, pause, atomic, load, store, fence;
};
__device__ unsigned mixed(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}
__global__ void go(unsigned* words, long long* t, Shape s, int rounds) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  long long accesses = 0, fences = 0;
  unsigned v = 0;
  const long long from = clock64();
  for (int r = 0; r < rounds; ++r) {
    const unsigned pick = mixed(warp * 977 + r * 31 + 7);
    if (s.pause)
      for (const long long until = clock64() + pick % s.pause; clock64() < until;) {}
    unsigned* const p = s.table ? words + mixed(pick + lane) % s.table : words + warp * 1024 + lane * 32;
    const long long a = clock64();
    if (lane < s.lanes) {
      if (s.atomic) asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 1, 2;" : "=r"(v) : "l"(p) : "memory");
      if (v == 0x12345) break;
      if (s.load) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
      if (v == 0x12345) break;
      if (s.store) asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(r + 8) : "memory");
    }
    __syncwarp();
    const long long b = clock64();
    if (s.fence) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    const long long c = clock64();
    accesses += b - a, fences += c - b;
  }
  const long long to = clock64();
  if (lane == 0) {
    atomicAdd((unsigned long long*)t, (unsigned long long)accesses);
    atomicAdd((unsigned long long*)t + 1, (unsigned long long)fences);
    atomicMax((unsigned long long*)t + 2, (unsigned long long)(to - from));
  }
}
int main() {
  constexpr int kRounds = 60;
  unsigned* words;
  long long* t;
  cudaMalloc(&words, 64 << 20), cudaMalloc(&t, 64);
  printf("CTAs,warps,lanes,table,pause,atomic,load,store,fence,cycles of the accesses,cycles of the fence,cycles of a round\n");
  const auto run = [&](Shape s) {
    long long h[3];
    for (int k = 0; k < 2; ++k) {
      cudaMemset(words, 0, 64 << 20), cudaMemset(t, 0, 64);
      go<<<s.ctas, 32 * s.warps>>>(words, t, s, kRounds);
      cudaMemcpy(h, t, 24, cudaMemcpyDeviceToHost);
    }
    const double n = double(kRounds) * s.ctas * s.warps;
    printf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%.1f,%.1f,%.1f\n", s.ctas, s.warps, s.lanes, s.table, s.pause, s.atomic, s.load, s.store, s.fence, h[0] / n, h[1] / n,
           double(h[2]) / kRounds);
  };
  const int what[][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {1, 0, 1}, {1, 1, 1}};
  for (int ctas : {1, 132})
    for (int warps : {1, 4, 16, 32})
      for (const auto& w : what)
        for (int lanes : {1, 8})
          for (int pause : {0, 2000}) run({ctas, warps, lanes, 0, pause, w[0], w[1], w[2], 1});
  for (int table : {8192, 1 << 20})
    for (int warps : {1, 4, 16, 32})
      for (const auto& w : what)
        for (int fence : {0, 1})
          for (int lanes : {1, 8}) run({132, warps, lanes, table, 500, w[0], w[1], w[2], fence});
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
