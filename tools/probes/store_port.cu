// What one SM sends to L2 and gets from it: cycles per warp instruction, by the bytes and sectors that it touches.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/store_port.cu -o store_port && ./store_port
// Lanes work on words `apart` words from each other, `lanes` of them; each instruction has lines of its own (of 256 per warp, in L2),
// or, `same`, one place for all. Prints cycles per warp instruction and SM with 1 and 132 SMs of 32 warps.
#include <cstdio>
#include <cuda_runtime.h>
enum Kind { Store, Store4, Load, Reduce };
template <int K>
__global__ void __launch_bounds__(1024) go(unsigned* p, long long* t, int rounds, int lanes, int apart, int step, int mask) {
  const int lane = threadIdx.x % 32, warp = blockIdx.x * 32 + threadIdx.x / 32;
  unsigned* q = p + (mask ? warp * 32768 : 0) + lane * apart * (K == Store4 ? 4 : 1);
  unsigned s = 0;
  const bool on = lane < lanes;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) {
    unsigned* a = q + (i * step & mask);
    if (on) {
      if (K == Store) asm volatile("st.global.u32 [%0], %1;" ::"l"(a), "r"(i) : "memory");
      if (K == Store4) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(a), "r"(i) : "memory");
      if (K == Reduce) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(i) : "memory");
      if (K == Load) {
        unsigned v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
        s ^= v;
      }
    }
  }
  __syncthreads();
  const long long until = clock64();
  if (s == 0x12345) t[1] = s;
  if (threadIdx.x == 0 && blockIdx.x == 0) t[0] = until - from;
}
template <int K>
void run(const char* name, unsigned* p, long long* t, int lanes, int apart, int step, int mask) {
  double cycles[2];
  for (int all = 0; all < 2; ++all) {
    long long best = 1ll << 60, got;
    for (int i = 0; i < 3; ++i) {
      go<K><<<all ? 132 : 1, 1024>>>(p, t, 1024, lanes, apart, step, mask);
      cudaMemcpy(&got, t, 8, cudaMemcpyDeviceToHost);
      if (got < best) best = got;
    }
    cycles[all] = double(best) / (1024.0 * 32);
  }
  printf("%s,%d,%d,%s,%.3f,%.3f\n", name, lanes, apart, mask ? "own" : "same", cycles[0], cycles[1]);
}
int main() {
  unsigned* p;
  long long* t;
  cudaMalloc(&p, 1ll << 30), cudaMalloc(&t, 64);
  cudaMemset(p, 0, 1ll << 30);
  printf("what,lanes,words apart,place,cycles of one SM,of each of 132\n");
  for (int mask : {2047, 0}) {
    for (int lanes : {32, 24, 16, 8, 4, 1}) run<Store>("store", p, t, lanes, 1, 32, mask);
    for (int apart : {2, 4, 8, 16, 32}) run<Store>("store", p, t, 32, apart, 32, mask);
    for (int lanes : {2, 4, 8, 16}) run<Store>("store", p, t, lanes, 8, 32, mask);
    for (int lanes : {2, 4, 8, 16}) run<Store>("store", p, t, lanes, 32, 32, mask);
    for (int lanes : {32, 16, 8}) run<Store4>("store of 16 bytes", p, t, lanes, 1, 128, mask);
    for (int lanes : {32, 8, 1}) run<Reduce>("red", p, t, lanes, 1, 32, mask);
    for (int lanes : {4, 32}) run<Reduce>("red", p, t, lanes, 8, 32, mask);
  }
  for (int lanes : {32, 16, 8, 1}) run<Load>("load", p, t, lanes, 1, 32, 2047);
  for (int apart : {2, 8, 32}) run<Load>("load", p, t, 32, apart, 32, 2047);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
