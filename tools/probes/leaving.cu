// Lanes that leave a loop one after another: what each of them costs the others.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/leaving.cu -o leaving && ./leaving
// Prints cycles per turn of one warp: nobody leaves before the end, a lane every turn, half of the lanes at once.
#include <cstdio>
#include <cuda_runtime.h>
// Turn i: lanes whose number in `until` is i leave. Four dependent multiply-adds per turn.
template <int Unroll>
__global__ void turns(const int* until, float* out, long long* t, int n) {
  const int mine = until[threadIdx.x];
  float x = threadIdx.x;
  __syncwarp();
  const long long from = clock64();
#pragma unroll Unroll
  for (int i = 0; i < n; ++i) {
    x = x * 0.5f + 1, x = x * 0.5f + 2, x = x * 0.5f + 3, x = x * 0.5f + 4;
    if (i == mine) break;
  }
  __syncwarp();
  const long long to = clock64();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0) t[0] = to - from;
}
// The same with a loop whose bound is the lane's own.
__global__ void bounds(const int* until, float* out, long long* t) {
  const int mine = until[threadIdx.x];
  float x = threadIdx.x;
  __syncwarp();
  const long long from = clock64();
#pragma unroll 1
  for (int i = 0; i <= mine; ++i) x = x * 0.5f + 1, x = x * 0.5f + 2, x = x * 0.5f + 3, x = x * 0.5f + 4;
  __syncwarp();
  const long long to = clock64();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0) t[0] = to - from;
}
// With a lookup in shared memory by compare and swap, as hash tables have it.
__global__ void inserts(const int* until, unsigned* out, long long* t, int n) {
  __shared__ unsigned table[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) table[i] = 1;
  const int mine = until[threadIdx.x];
  unsigned at = threadIdx.x;
  __syncwarp();
  const long long from = clock64();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    if (atomicCAS(&table[at], 0u, 7u) == 0 || i == mine) break;
    at = (at + 32) & 1023;
  }
  __syncwarp();
  const long long to = clock64();
  out[threadIdx.x] = at;
  if (threadIdx.x == 0) t[0] = to - from;
}
// Half of the lanes take another way, of `Length` multiply-adds each, and meet again.
template <int Length>
__global__ void ways(const int* until, float* out, long long* t, int n) {
  const int mine = until[threadIdx.x];
  float x = threadIdx.x;
  __syncwarp();
  const long long from = clock64();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    if (mine & 1) {
#pragma unroll
      for (int k = 0; k < Length; ++k) x = x * 0.5f + k;
    } else {
#pragma unroll
      for (int k = 0; k < Length; ++k) x = x * 0.25f - k;
      out[i] = x;
    }
    __syncwarp();
  }
  const long long to = clock64();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0) t[0] = to - from;
}
int main() {
  int *u, h[32];
  float* out;
  long long *t, ht;
  cudaMalloc(&u, 128), cudaMalloc(&out, 4096), cudaMalloc(&t, 8);
  const char* names[] = {"all at the end", "a lane every turn", "half in the middle", "in pairs", "one at the start"};
  printf("loop,who leaves,cycles per turn\n");
  for (int p = 0; p < 5; ++p) {
    for (int l = 0; l < 32; ++l) h[l] = p == 0 ? 63 : p == 1 ? 63 - 2 * (31 - l) : p == 2 ? (l < 16 ? 31 : 63) : p == 3 ? 63 - 4 * ((31 - l) / 2) : l == 5 ? 0 : 63;
    cudaMemcpy(u, h, 128, cudaMemcpyHostToDevice);
    auto show = [&](const char* loop) { cudaMemcpy(&ht, t, 8, cudaMemcpyDeviceToHost), printf("%s,%s,%.2f\n", loop, names[p], ht / 64.0); };
    for (int again = 0; again < 2; ++again) turns<1><<<1, 32>>>(u, out, t, 64);
    show("break");
    for (int again = 0; again < 2; ++again) turns<4><<<1, 32>>>(u, out, t, 64);
    show("break unrolled by 4");
    for (int again = 0; again < 2; ++again) bounds<<<1, 32>>>(u, out, t);
    show("bound");
    for (int again = 0; again < 2; ++again) inserts<<<1, 32>>>(u, (unsigned*)out, t, 64);
    show("compare and swap");
    if (p == 1)
      for (int again = 0; again < 2; ++again) ways<4><<<1, 32>>>(u, out, t, 64), again ? show("two ways of 4") : void();
    if (p == 1)
      for (int again = 0; again < 2; ++again) ways<16><<<1, 32>>>(u, out, t, 64), again ? show("two ways of 16") : void();
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
