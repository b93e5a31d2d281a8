// What one SM sends to L2: cycles per warp instruction, by the bytes, sectors and lines that it touches, and how long the port is busy.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/store_port.cu -o store_port && ./store_port
//   ncu --csv --page raw --clock-control none --cache-control none --metrics l1tex__m_l1tex2xbar_req_cycles_active.sum,
//     l1tex__m_l1tex2xbar_write_sectors.sum ./store_port counted    (a launch per row)
// 32 warps of one SM. Lanes work `apart` bytes from each other, `lanes` of them. Each instruction works behind all lines of the one
// before (disjoint), or a line further (overlap).
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
enum Kind { Byte, Store, Store8, Store16, Reduce, Load, Load16 };
constexpr const char* kNames[] = {"store_byte", "store", "store8", "store16", "red", "load", "load16"};
constexpr int kBytes[] = {1, 4, 8, 16, 4, 4, 16}, kRounds = 256;
template <int K>
__global__ void __launch_bounds__(1024) go(char* p, long long* t, int lanes, int apart, int step) {
  const int lane = threadIdx.x % 32;
  char* q = p + (threadIdx.x / 32) * (131072 + 128) + lane * apart;
  unsigned s = 0;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 4
  for (int i = 0; i < kRounds; ++i) {
    char* a = q + (i * step & 65535);
    if (lane < lanes) {
      unsigned v = 0, w = 0, x = 0, y = 0;
      if (K == Byte) asm volatile("st.global.u8 [%0], %1;" ::"l"(a), "r"(i) : "memory");
      if (K == Store) asm volatile("st.global.u32 [%0], %1;" ::"l"(a), "r"(i) : "memory");
      if (K == Store8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(a), "r"(i) : "memory");
      if (K == Store16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(a), "r"(i) : "memory");
      if (K == Reduce) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(i) : "memory");
      if (K == Load) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
      if (K == Load16) asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(a) : "memory");
      s ^= v ^ w ^ x ^ y;
    }
  }
  __syncthreads();
  const long long until = clock64();
  if (s == 0x12345) t[1] = s;
  if (threadIdx.x == 0) t[0] = until - from;
}
char* p;
long long* t;
bool counted;
template <int K>
void run(int lanes, int apart, int step, const char* how) {
  long long best = 1ll << 60, got;
  for (int i = 0; i < (counted ? 1 : 5); ++i) {
    go<K><<<1, 1024>>>(p, t, lanes, apart, step);
    cudaMemcpy(&got, t, 8, cudaMemcpyDeviceToHost);
    best = std::min(best, got);
  }
  int lines = 0, sectors = 0;
  for (int l = 0, line = -1, sector = -1; l < lanes; ++l)
    for (int b = l * apart; b < l * apart + kBytes[K]; ++b) {
      if (b / 128 != line) ++lines, line = b / 128;
      if (b / 32 != sector) ++sectors, sector = b / 32;
    }
  printf("%s,%d,%d,%s,%d,%d,%.3f\n", kNames[K], lanes, apart, how, lines, sectors, double(best) / (kRounds * 32.0));
}
template <int K>
void both(int lanes, int apart) {
  const int span = ((lanes - 1) * apart + kBytes[K] + 127) / 128 * 128;
  run<K>(lanes, apart, span, "disjoint");
  if (span > 128) run<K>(lanes, apart, 128, "overlap");
}
int main(int n, char**) {
  counted = n > 1;
  cudaMalloc(&p, 64 << 20), cudaMalloc(&t, 64);
  cudaMemset(p, 0, 64 << 20);
  printf("what,lanes,bytes apart,how,lines,sectors,cycles\n");
  for (int lanes : {32, 24, 16, 8, 4, 2, 1}) both<Store>(lanes, 4);
  for (int apart : {8, 12, 16, 24, 32, 64, 128, 256}) for (int lanes : {32, 16, 8, 4, 2}) both<Store>(lanes, apart);
  for (int lanes : {32, 16, 8, 4}) both<Store8>(lanes, 8);
  for (int apart : {16, 32, 128}) for (int lanes : {32, 16, 8, 4}) both<Store8>(lanes, apart);
  for (int lanes : {32, 24, 16, 8, 4}) both<Store16>(lanes, 16);
  for (int apart : {32, 64, 128}) for (int lanes : {32, 16, 8, 4}) both<Store16>(lanes, apart);
  for (int apart : {1, 4, 32, 128}) for (int lanes : {32, 8}) both<Byte>(lanes, apart);
  for (int apart : {4, 8, 32, 128}) for (int lanes : {32, 16, 8, 4, 1}) both<Reduce>(lanes, apart);
  for (int apart : {4, 8, 32, 128}) for (int lanes : {32, 8, 4}) both<Load>(lanes, apart);
  for (int apart : {16, 32, 128}) for (int lanes : {32, 8}) both<Load16>(lanes, apart);
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
