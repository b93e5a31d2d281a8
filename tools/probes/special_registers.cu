// Special registers: how long a read of one takes and how many an SM does; and how long warps take from their first
// instruction to the addresses that index and parameters give, by how many start together.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/special_registers.cu -o special_registers && ./special_registers
// alone: cycles from a read to its use by one warp; rate: cycles per read and SM; prologue: cycles from a warp's first
// instruction to its address, the mean and the longest over an SM's warps.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define READ(name) asm volatile("mov.u32 %0, %" name ";" : "=r"(v))
template <int Which>
__device__ unsigned read() {
  unsigned v;
  if (Which == 0) READ("smid");
  if (Which == 1) READ("warpid");
  if (Which == 2) READ("clock");
  return v;
}
template <int Which>
__global__ void alone(long long* t) {
  unsigned s = 0;
  for (int r = 0; r < 3; ++r) {
    const long long from = clock64();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const unsigned v = read<Which>();
      s = s * 3 + v;
      asm volatile("" : "+r"(s));
      if (s == 0x12345678) t[1] = s;
    }
    t[0] = clock64() - from;
  }
}
template <int Which>
__global__ void rate(long long* t, int rounds) {
  unsigned s = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
      for (int k = 0; k < 16; ++k) s ^= read<Which>();
    }
    if (s == 0x12345) t[1] = s;
    __syncthreads();
  }
  if (threadIdx.x == 0) t[0] = clock64() - from;
}
// What a simple kernel begins with.
__global__ void prologue(const float* a, const float* b, float* c, int n, long long* began, long long* ready) {
  const long long from = clock64();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *x = a + i, *y = b + i;
  float* z = c + i;
  const bool in = i < n;
  asm volatile("" ::"l"(x), "l"(y), "l"(z), "r"((int)in));
  unsigned long long sum = (unsigned long long)x ^ (unsigned long long)y ^ (unsigned long long)z;
  if (sum == 1) began[0] = 1;
  const long long to = clock64();
  if (in && threadIdx.x % 32 == 0) { began[i / 32] = from; ready[i / 32] = to; }
}
int main() {
  long long* t;
  cudaMalloc(&t, 64);
  printf("what,register,warps,cycles,longest\n");
  const char* names[] = {"smid", "warpid", "clock"};
  long long h;
#define ALL(F) F(0) F(1) F(2)
#define ONE(W)                                                        \
  alone<W><<<1, 32>>>(t);                                             \
  cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);                       \
  printf("alone,%s,1,%.1f,\n", names[W], h / 16.0);                   \
  for (int warps : {1, 2, 4, 8, 16, 32}) {                            \
    rate<W><<<1, warps * 32>>>(t, 64);                                \
    cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);                     \
    printf("rate,%s,%d,%.2f,\n", names[W], warps, h / (64.0 * 16 * warps)); \
  }
  ALL(ONE)
  for (int threads : {32, 128, 256, 1024})
    for (int ctas : {1, 2, 4, 8}) {
      if (threads * ctas > 2048) continue;
      const int n = 132 * ctas * threads;
      float* data;
      long long *began, *ready;
      cudaMalloc(&data, n * 4);
      cudaMalloc(&began, n / 32 * 8);
      cudaMalloc(&ready, n / 32 * 8);
      std::vector<long long> b(n / 32), r(n / 32);
      double mean = 0;
      long long most = 0;
      for (int k = 0; k < 5; ++k) {
        prologue<<<132 * ctas, threads>>>(data, data, data, n, began, ready);
        cudaMemcpy(b.data(), began, n / 32 * 8, cudaMemcpyDeviceToHost);
        cudaMemcpy(r.data(), ready, n / 32 * 8, cudaMemcpyDeviceToHost);
        mean = 0, most = 0;
        for (size_t i = 0; i < b.size(); ++i) mean += double(r[i] - b[i]) / b.size(), most = std::max(most, r[i] - b[i]);
      }
      printf("prologue,%d threads,%d,%.1f,%lld\n", threads, ctas * threads / 32, mean, most);
      cudaFree(data), cudaFree(began), cudaFree(ready);
    }
  return cudaDeviceSynchronize() != cudaSuccess;
}
