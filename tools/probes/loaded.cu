// Latency under load: warps on all SMs read fresh lines, `ahead` loads of a line each before they wait.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/loaded.cu -o loaded && ./loaded
// Prints bytes per cycle of all SMs, and mean cycles from the first of a group of loads to the last one's data: from DRAM, from L2, and with stores.
#include <cstdio>
#include <cuda_runtime.h>
template <int Ahead, int Stores>
__global__ void load(const unsigned* a, unsigned* out, long lines, int rounds, unsigned long long* waited, long long* span) {
  const long warp = (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32, warps = gridDim.x * (long)blockDim.x / 32;
  const int lane = threadIdx.x % 32;
  unsigned long long sum = 0;
  unsigned s = 0;
  const long long begin = clock64();
  for (int r = 0; r < rounds; ++r) {
    unsigned v[Ahead];
    const long long from = clock64();
#pragma unroll
    for (int k = 0; k < Ahead; ++k) {
      const long line = ((r * Ahead + k) * warps + warp + (s & 1)) & (lines - 1);
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(a + line * 32 + lane));
    }
#pragma unroll
    for (int k = 0; k < Ahead; ++k) s += v[k];
    if (s == 0x12345) break;  // waits for all
    sum += clock64() - from + (s & 1);
#pragma unroll
    for (int k = 0; k < Stores; ++k) out[(((r * Stores + k) * warps + warp) & (lines - 1)) * 32 + lane] = s;
  }
  const long long end = clock64();
  if (lane == 0) atomicAdd(waited, sum), atomicMax((unsigned long long*)span, (unsigned long long)(end - begin));
}
__global__ void flush(float* a, long n) {
  for (long i = blockIdx.x * 1024L + threadIdx.x; i < n; i += gridDim.x * 1024L) a[i] += 1;
}
unsigned *a, *out;
float* big;
unsigned long long* w;
template <int Ahead, int Stores>
void run(const char* what, int warps, long lines, bool warm) {
  // about 24 MiB in all
  int rounds = (24 << 20) / 128 / (132 * warps * Ahead);
  if (rounds > 60) rounds = 60;
  for (int k = 0; k < 2; ++k) {
    if (!warm) flush<<<132, 1024>>>(big, 128 << 20);
    cudaMemset(w, 0, 16);
    load<Ahead, Stores><<<132, 32 * warps>>>(a, out, lines, rounds, w, (long long*)(w + 1));
  }
  unsigned long long h[2];
  cudaMemcpy(h, w, 16, cudaMemcpyDeviceToHost);
  printf("%s,%d,%d,%d,%.0f,%.0f\n", what, warps, Ahead, Stores, 132.0 * warps * Ahead * rounds * 128 / h[1], (double)h[0] / (132.0 * warps * rounds));
}
int main() {
  cudaMalloc(&a, 256 << 20), cudaMemset(a, 0, 256 << 20), cudaMalloc(&out, 256 << 20), cudaMalloc(&big, 512 << 20), cudaMalloc(&w, 64);
  const long large = (256 << 20) / 128, small = (8 << 20) / 128;
  printf("from,warps,ahead,stores,bytes_per_cycle,cycles\n");
  for (int warps : {1, 2, 4, 8, 12, 16, 24, 32}) {
    run<1, 0>("dram", warps, large, false), run<2, 0>("dram", warps, large, false), run<4, 0>("dram", warps, large, false);
    run<1, 1>("dram", warps, large, false), run<2, 1>("dram", warps, large, false), run<2, 2>("dram", warps, large, false);
    run<1, 0>("l2", warps, small, true), run<2, 0>("l2", warps, small, true), run<4, 0>("l2", warps, small, true);
    run<1, 1>("l2", warps, small, true), run<2, 2>("l2", warps, small, true);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
