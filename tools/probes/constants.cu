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
// One word for all lanes, by an index that the compiler knows to be the same for all (ULDC): each turn `step` words on.
__global__ void uniform(long long* t, int step, int mask, int rounds, int shift) {
  unsigned s = threadIdx.x;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 4
    for (int i = 0; i < rounds; ++i) s = s * 3 + table[(i * step + blockIdx.x * shift) & mask];
    if (s == 0x12345) t[1] = s;
    __syncthreads();
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) t[0] = clock64() - from;
}
// One word for all lanes by a counter that all lanes share (ULDC with a uniform register): word after word, or a line each.
template <int Step>
__global__ void counted(long long* t, int count, int passes) {
  float s = threadIdx.x;
  const float x = s * 0.5f;
  long long from = 0;
  for (int r = 0; r < passes; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 4
    for (int k = 0; k < count; ++k) s = s * x + __uint_as_float(table[k * Step]);
    if (s == 0x12345) t[1] = s;
    __syncthreads();
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) t[0] = clock64() - from;
}
// Four words at once, a place per lane.
__global__ void quads(long long* t, int distinct, int rounds) {
  unsigned s = 0, at = threadIdx.x % 32 % distinct * 4;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
    for (int i = 0; i < rounds; ++i) {
      unsigned a, b, c, d;
      asm volatile("ld.const.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(__cvta_generic_to_constant(table + at)));
      s += a + b + c + d;
      at += a;
    }
    if (s == 0x12345) t[1] = s;
    __syncthreads();
  }
  if (threadIdx.x == 0) t[0] = clock64() - from;
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
  for (int warps : {1, 4, 8, 32})
    for (int kb : {1, 2, 3, 4, 8, 32})
      for (int step : {1, 2, 4, 8, 16}) {
        uniform<<<1, 32 * warps>>>(t, step, kb == 3 ? 767 : kb * 256 - 1, 1024, 0);
        printf("uniform,%d KiB,%d words on,%d warps,%.2f\n", kb, step, warps, get() / 1024);
      }
  for (int shift : {0, 16, 112})
    for (int kb : {1, 2, 4, 32}) {
      uniform<<<264, 512>>>(t, 1, kb * 256 - 1, 1024, shift);
      printf("uniform,%d KiB,1 word on,264 blocks of 16 warps from %d words on,%.2f\n", kb, shift, get() / 1024);
      uniform<<<1056, 256>>>(t, 1, kb * 256 - 1, 1024, shift);
      printf("uniform,%d KiB,1 word on,1056 blocks of 8 warps from %d words on,%.2f\n", kb, shift, get() / 1024);
    }
  for (int warps : {1, 2, 4, 8, 16, 32})
    for (int words : {64, 256, 448, 512, 640, 1024, 2048, 4096}) {
      counted<1><<<1, 32 * warps>>>(t, words, 3);
      const double one = get() / words;
      counted<16><<<1, 32 * warps>>>(t, words / 16, 3);
      printf("counted,%d words,%d warps,word after word %.2f,a line each %.2f\n", words, warps, one, get() / (words / 16));
    }
  for (int words : {64, 448, 1024, 4096}) {
    counted<1><<<264, 1024>>>(t, words, 3);
    const double two = get() / words;
    counted<1><<<1056, 256>>>(t, words, 1);
    printf("counted,%d words,64 warps of 132 SMs,in two blocks %.2f,in eight %.2f\n", words, two, get() / words);
  }
  for (int d : {1, 2, 4, 8, 16, 32}) {
    quads<<<1, 1024>>>(t, d, 1024);
    const double rate = get() / 1024 / 32;
    quads<<<1, 32>>>(t, d, 1024);
    printf("quads,%d places,one warp %.2f,32 warps %.2f\n", d, get() / 1024, rate);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
