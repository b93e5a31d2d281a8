// How many cycles loads take the L1's data: groups of lanes so many words apart, words per lane, an offset from a line.
//   nvcc -O3 -std=c++17 -arch=sm_90 l1_bank.cu -o l1_bank && ./l1_bank > h200_l1_bank.csv
#include <cstdio>
#include <cuda_runtime.h>

template <class T> __device__ unsigned word(T v);
template <> __device__ unsigned word(unsigned v) { return v; }
template <> __device__ unsigned word(uint2 v) { return v.x ^ v.y; }
template <> __device__ unsigned word(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
__device__ void load(unsigned& v, const unsigned* p) { asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p)); }
__device__ void load(uint2& v, const uint2* p) { asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p)); }
__device__ void load(uint4& v, const uint4* p) {
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
}

// The lanes of a group read neighbouring elements; all warps the same ones. `step` is 0: the assembler does not know, and leaves the loads alone.
template <class T> __global__ void gather(const T* a, long long* t, int groups, int apart, int offset, int loads, int step) {
  const int lane = threadIdx.x % 32, size = 32 / groups;
  const T* p = a + offset + lane / size * apart + lane % size;
  unsigned sum = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 8
    for (int i = 0; i < loads; ++i) {
      T v;
      load(v, p + i * step);
      sum ^= word(v);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) t[0] = clock64() - from;
  if (sum == 12345) t[1] = sum;
}

__global__ void put(volatile unsigned* a, long long* t, int groups, int apart, int stores) {
  const int lane = threadIdx.x % 32, size = 32 / groups;
  volatile unsigned* p = a + lane / size * apart + lane % size;
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < stores; ++i) *p = i;
  __syncthreads();
  if (threadIdx.x == 0) t[0] = clock64() - from;
}

template <class T> void run(const char* type, T* a, long long* t) {
  const int loads = 512;
  for (int warps : {8, 32})
    for (int groups : {1, 2, 4, 8, 16, 32})
      for (int apart : {4, 8, 9, 16, 32, 33, 36, 40})
        for (int offset : {0, 1}) {
          if (groups == 1 && apart != 32) continue;
          gather<T><<<1, 32 * warps>>>(a, t, groups, apart, offset, loads, 0);
          long long h = 0;
          cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
          printf("load,%s,%d,%d,%d,%d,%.3f\n", type, warps, groups, apart, offset, double(h) / (double(loads) * warps));
        }
}

// Lane l reads its own word, in no bank of another lane's, of the line that `line` names.
__global__ void lines(const unsigned* a, const int* line, long long* t, int loads, int step) {
  const unsigned* p = a + line[threadIdx.x % 32] * 32 + threadIdx.x % 32;
  unsigned sum = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 8
    for (int i = 0; i < loads; ++i) {
      unsigned v;
      load(v, p + i * step);
      sum ^= v;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) t[0] = clock64() - from;
  if (sum == 12345) t[1] = sum;
}
unsigned draw(unsigned& state) { return state = state * 1664525u + 1013904223u, state >> 8; }
void run_lines(const char* name, int of, const unsigned* a, long long* t, int (*line)(int lane, int of, unsigned& state)) {
  int h[32], *d;
  cudaMalloc(&d, 128);
  double sum = 0;
  int groups = 0, distinct = 0;
  const int tries = 16, loads = 512;
  unsigned state = 1;
  for (int i = 0; i < tries; ++i) {
    bool seen[8192] = {}, group[8192] = {};
    for (int l = 0; l < 32; ++l) {
      h[l] = line(l, of, state);
      distinct += !seen[h[l]], groups += !group[h[l] / 4];
      seen[h[l]] = group[h[l] / 4] = true;
    }
    cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice);
    lines<<<1, 1024>>>(a, d, t, loads, 0);
    long long c = 0;
    cudaMemcpy(&c, t, 8, cudaMemcpyDeviceToHost);
    sum += double(c) / (double(loads) * 32);
  }
  printf("lines,%s,32,%d,%.2f,%.2f,%.3f\n", name, of, distinct / double(tries), groups / double(tries), sum / tries);
  cudaFree(d);
}

int main() {
  void* a;
  long long* t;
  cudaMalloc(&a, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  cudaMalloc(&t, 64);
  printf("# tools/probes/l1_bank.cu on an H200: cycles per warp load of an SM, L1 hits; `apart` in elements of the type\n");
  printf("op,type,warps,groups,apart,offset,cycles\n");
  run("u32", (unsigned*)a, t);
  run("v2", (uint2*)a, t);
  run("v4", (uint4*)a, t);
  for (int groups : {1, 4, 8, 32}) {
    put<<<1, 1024>>>((unsigned*)a, t, groups, 32, 512);
    long long h = 0;
    cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
    printf("store,u32,32,%d,32,0,%.3f\n", groups, double(h) / (512.0 * 32));
  }
  printf("op,which,warps,of lines,distinct lines,groups of four,cycles\n");
  for (int of : {32, 64, 128, 256, 512, 1024}) {
    run_lines("random", of, (unsigned*)a, t, [](int, int n, unsigned& s) { return int(draw(s) % n); });
    run_lines("random every other", of, (unsigned*)a, t, [](int, int n, unsigned& s) { return int(draw(s) % n) & ~1; });
    run_lines("random fourths", of, (unsigned*)a, t, [](int, int n, unsigned& s) { return int(draw(s) % n) & ~3; });
    run_lines("pairs random", of, (unsigned*)a, t, [](int l, int n, unsigned& s) { static int at; return l % 2 ? at : at = int(draw(s) % n); });
    run_lines("four neighbours random", of, (unsigned*)a, t, [](int l, int n, unsigned& s) { static int at; if (l % 4 == 0) at = int(draw(s) % n) & ~3; return at + l % 4; });
    run_lines("apart", of, (unsigned*)a, t, [](int l, int n, unsigned&) { return l * (n / 32); });
    run_lines("apart and one", of, (unsigned*)a, t, [](int l, int n, unsigned&) { return l * (n / 32 + 1) % 1200; });
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
