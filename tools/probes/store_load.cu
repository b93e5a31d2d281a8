// Loads behind stores of the same SM, through the L1: what a sum kept in memory costs per round, and what a first touch of memory does.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/store_load.cu -o store_load && ./store_load
// Prints cycles per round of a warp (clock64), rounds that depend on each other; SMs that do it; warps of an SM.
#include <cstdio>
#include <cuda_runtime.h>
#define LOAD(v, q) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(q) : "memory")
#define STORE(q, v) asm volatile("st.global.f32 [%0], %1;" ::"l"(q), "f"(v) : "memory")
enum Kind {
  Load,          // the address hangs on the value loaded before
  SameWord,      // load, add, store to the same word
  OtherWord,     // store to the next lane's word of the line, load of one's own
  OtherLine,     // store to a line that the L1 holds, load of another one that it holds
  AbsentLine,    // store to lines that were never loaded
  TwoSums,       // two sums in two lines
  Strided,       // a load of 32 lines, each lane its own
  StridedSum,    // that, and a sum in memory
  StoreOnly,
  FarSums,       // sums of which each is used again after 8 others
};
template <int K>
__global__ void rounds_of(float* p, long long* t, int rounds, int between, int apart) {
  const int lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float* q = p + warp * 65536 + lane * (K == Strided || K == StridedSum ? 32 : 1);
  float* sum = p + warp * 65536 + 32768 + lane;
  float* other = K == OtherWord ? p + warp * 65536 + (lane + 1) % 32 : sum + 32 * apart;
  float v = 0, w = 0, x = 0;
  LOAD(x, q);
  LOAD(x, sum);
  LOAD(x, other);
  for (int i = 0; i < 8; ++i) LOAD(x, sum + 256 * i);
  __syncthreads();
  const long long from = clock64();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    const int zero = __float_as_int(v) & 0x40000000 ? 0 : 0;
    if (K == Load) { LOAD(v, q + (__float_as_int(v) & 1)); }
    if (K == SameWord) { LOAD(v, sum); v = v * 0.5f + 1; STORE(sum, v); }
    if (K == OtherWord) { STORE(other, v); LOAD(v, q + (__float_as_int(v) >> 31)); v = v * 0.5f; }
    if (K == OtherLine) { STORE(sum, v); LOAD(v, q + (__float_as_int(v) >> 31)); v = v * 0.5f; }
    if (K == AbsentLine) { STORE(sum + 8192 + 32 * (i & 127), v); LOAD(v, q + (__float_as_int(v) >> 31)); v = v * 0.5f; }
    if (K == TwoSums) { LOAD(v, sum); v = v * 0.5f + 1; STORE(sum, v); LOAD(w, other); w = w * 0.5f + 1; STORE(other, w); }
    if (K == Strided) { LOAD(v, q + (__float_as_int(v) & 1)); }
    if (K == StridedSum) { LOAD(v, q + (i & 7)); LOAD(w, sum); w = v * 0.5f + w; STORE(sum, w); }
    if (K == StoreOnly) { STORE(sum + 32 * (i & 7), v); }
    if (K == FarSums) { LOAD(v, sum + 256 * (i & 7)); v = v * 0.5f + 1; STORE(sum + 256 * (i & 7), v); }
    for (int k = 0; k < between; ++k) x = x * 1.0001f + v;
    (void)zero;
  }
  const long long until = clock64();
  if (v + w + x == 0.12345f) t[1] = 1;
  if (threadIdx.x == 0 && blockIdx.x == 0) t[0] = until - from;
}
template <int K>
void run(const char* name, float* p, long long* t, int between, int apart) {
  for (int blocks : {1, 132})
    for (int warps : {1, 4, 8}) {
      const int rounds = 512;
      long long best = 1ll << 60, got;
      for (int i = 0; i < 3; ++i) {
        rounds_of<K><<<blocks, warps * 32>>>(p, t, rounds, between, apart);
        cudaMemcpy(&got, t, 8, cudaMemcpyDeviceToHost);
        if (got < best) best = got;
      }
      printf("%s,%d,%d,%d,%d,%.2f\n", name, between, apart, blocks, warps, double(best) / rounds);
    }
}
// One warp's first loads of memory that nobody has read: `loads` side by side, `stride` bytes apart.
__global__ void first(const char* p, long long* t, int loads, long long stride) {
  float s = 0, v[32];
  const long long from = clock64();
#pragma unroll
  for (int k = 0; k < 32; ++k)
    if (k < loads) LOAD(v[k], p + k * stride + threadIdx.x * 4);
#pragma unroll
  for (int k = 0; k < 32; ++k)
    if (k < loads) s += v[k];
  asm volatile("" ::"f"(s) : "memory");
  const long long until = clock64();
  if (s == 0.12345f) t[1] = 1;
  t[0] = until - from;
}
__global__ void flush(const float* p, float* out, long long n) {
  float s = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += p[i];
  if (s == 0.12345f) *out = s;
}
int main() {
  float *p, *big;
  long long* t;
  cudaMalloc(&p, 512ll << 20), cudaMalloc(&big, 1ll << 30), cudaMalloc(&t, 64);
  cudaMemset(p, 0, 512ll << 20), cudaMemset(big, 0, 1ll << 30);
  printf("what,instructions between,lines apart,SMs,warps,cycles per round\n");
  run<Load>("load, load", p, t, 0, 1);
  for (int between : {0, 8, 32, 128}) run<SameWord>("sum in memory", p, t, between, 1);
  run<OtherWord>("store to another word of the line", p, t, 0, 1);
  run<OtherLine>("store to another line", p, t, 0, 1);
  run<AbsentLine>("store to a line that is not there", p, t, 0, 1);
  for (int apart : {1, 64}) run<TwoSums>("two sums in memory", p, t, 0, apart);
  run<Strided>("load of 32 lines", p, t, 0, 1);
  run<StridedSum>("load of 32 lines and sum in memory", p, t, 0, 1);
  run<StoreOnly>("store", p, t, 0, 1);
  run<FarSums>("eight sums in memory", p, t, 0, 1);
  printf("what,loads,bytes apart,L2,,cycles\n");
  for (long long stride : {128ll, 8192ll, 65536ll, 2ll << 20})
    for (int loads : {1, 4, 16, 32})
      for (int cold = 0; cold < 2; ++cold) {
        long long got, best = 1ll << 60;
        for (int i = 0; i < 5; ++i) {
          const char* at = reinterpret_cast<const char*>(p) + (64ll << 20) * i;
          if (cold) flush<<<1056, 256>>>(big, p, 256ll << 20 >> 2 << 2 >> 2);
          else flush<<<264, 256>>>(reinterpret_cast<const float*>(at), p, 1 << 20);
          first<<<1, 32>>>(at, t, loads, stride);
          cudaMemcpy(&got, t, 8, cudaMemcpyDeviceToHost);
          if (got < best) best = got;
        }
        printf("first loads,%d,%lld,%s,,%lld\n", loads, stride, cold ? "cold" : "warm", best);
      }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
