// Constant memory: latency and rate by footprint, by how many words and lines the lanes of a warp ask for.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/constants.cu -o constants && ./constants
// Prints cycles per load of one warp (chain), and per load and SM with 32 warps (rate).
#include <cstdio>
#include <cuda_runtime.h>
__constant__ unsigned table[16384];  // zeroes: what is read does not change the next address
// Lane l reads word (i * step + (l % distinct) * apart) of the footprint.
template <int Chain>
__global__ void loads(long long* t, int step, int distinct, int apart, int mask, int rounds) {
  unsigned at = (threadIdx.x % 32 % distinct) * apart, s = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 8
    for (int i = 0; i < rounds; ++i) {
      unsigned v;
      asm volatile("ld.const.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_constant(table + ((at + i * step) & mask))));
      if (Chain) at += v; else s += v;
    }
    if (s + at == 0x12345) t[1] = s;
    __syncthreads();
  }
  if (threadIdx.x == 0) t[0] = clock64() - from;
}
// A constant of the instruction: c[3][immediate], a new line every 64 bytes.
template <int N>
__global__ void immediates(long long* t) {
  unsigned s = threadIdx.x;
  long long from = 0;
  for (int r = 0; r < 3; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll
    for (int i = 0; i < N; ++i) s = s * 3 + table[i * 16];
    if (s == 0x12345) t[1] = s;
    __syncthreads();
    if (threadIdx.x == 0) t[2 + r] = clock64() - from;
  }
}
int main() {
  long long *t, h[8];
  cudaMalloc(&t, 64);
  auto get = [&] { cudaMemcpy(h, t, 64, cudaMemcpyDeviceToHost); return (double)h[0]; };
  for (int kb : {1, 2, 4, 8, 16, 32, 64}) {
    loads<1><<<1, 32>>>(t, 16, 1, 0, kb * 256 - 1, 1024);
    printf("chain,%d KiB,a line each,%.1f\n", kb, get() / 1024);
    loads<0><<<1, 32>>>(t, 16, 1, 0, kb * 256 - 1, 1024);
    printf("one warp,%d KiB,a line each,%.2f\n", kb, get() / 1024);
    loads<0><<<1, 1024>>>(t, 16, 1, 0, kb * 256 - 1, 1024);
    printf("rate,%d KiB,a line each,%.2f\n", kb, get() / 1024 / 32);
    loads<0><<<1, 1024>>>(t, 1, 1, 0, kb * 256 - 1, 1024);
    printf("rate,%d KiB,the next word,%.2f\n", kb, get() / 1024 / 32);
  }
  for (int apart : {1, 2, 4, 8, 16, 32})
    for (int d : {1, 2, 4, 8, 16, 32}) {
      loads<1><<<1, 32>>>(t, 0, d, apart, 16383, 1024);
      const double chain = get() / 1024;
      loads<0><<<1, 32>>>(t, 0, d, apart, 16383, 1024);
      const double one = get() / 1024;
      loads<0><<<1, 256>>>(t, 0, d, apart, 16383, 1024);
      const double eight = get() / 1024 / 8;
      loads<0><<<1, 1024>>>(t, 0, d, apart, 16383, 1024);
      printf("words,%d distinct,%d apart,chain %.1f one warp %.2f 8 warps %.2f 32 warps %.2f\n", d, apart, chain, one, eight, get() / 1024 / 32);
    }
  immediates<8><<<1, 32>>>(t), get(), printf("immediates,8 lines,1 warp,%lld %lld %lld\n", h[2], h[3], h[4]);
  immediates<32><<<1, 32>>>(t), get(), printf("immediates,32 lines,1 warp,%lld %lld %lld\n", h[2], h[3], h[4]);
  immediates<128><<<1, 32>>>(t), get(), printf("immediates,128 lines,1 warp,%lld %lld %lld\n", h[2], h[3], h[4]);
  immediates<512><<<1, 32>>>(t), get(), printf("immediates,512 lines,1 warp,%lld %lld %lld\n", h[2], h[3], h[4]);
  immediates<512><<<1, 1024>>>(t), get(), printf("immediates,512 lines,32 warps,%lld %lld %lld\n", h[2], h[3], h[4]);
  immediates<32><<<1, 1024>>>(t), get(), printf("immediates,32 lines,32 warps,%lld %lld %lld\n", h[2], h[3], h[4]);
  return cudaDeviceSynchronize() != cudaSuccess;
}
