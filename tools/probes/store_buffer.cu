// How stores of an SM wait for others to the same line: how many lines, how long, what ends it; and what a load behind them waits.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/store_buffer.cu -o store_buffer && ./store_buffer
//   ncu --csv --page raw -k regex:fill --clock-control none --cache-control none --metrics l1tex__m_l1tex2xbar_req_cycles_active.sum,
//     l1tex__m_l1tex2xbar_write_sectors.sum ./store_buffer    (a launch per row; -k regex:structures for the second table)
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
enum Between { Nothing, Delay, Fence, CtaFence, Load, LoadSame, Barrier, Shared, Atomic };
template <int B>
__global__ void fill(unsigned* p, long long* t, int rounds, int lanes, int apart, int delay, int fields) {
  __shared__ volatile unsigned s[32];
  const int lane = threadIdx.x % 32;
  unsigned sum = 0;
  const long long from = clock64();
  for (int i = 0; i < rounds; ++i)
    for (int f = 0; f < fields; ++f) {
      unsigned* a = p + i * 32 * apart + lane * apart + f;
      if (lane < lanes) asm volatile("st.global.u32 [%0], %1;" ::"l"(a), "r"(f) : "memory");
      if (B == Delay) for (const long long at = clock64(); clock64() - at < delay;);
      if (B == Fence) __threadfence();
      if (B == CtaFence) __threadfence_block();
      if (B == Load) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + 4000000 + (i * fields + f) * 32 + lane) : "memory"); sum += v; }
      if (B == LoadSame) { unsigned v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); sum += v; }
      if (B == Barrier) __syncthreads();
      if (B == Shared) s[lane] = f;
      if (B == Atomic) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p + 4000000 + lane) : "memory");
    }
  if (sum == 12345) t[1] = sum;
  if (threadIdx.x == 0) t[0] = clock64() - from;
}
template <int F>
__global__ void __launch_bounds__(1024) structures(float* p, long long* t, int rounds, int mask) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float* q = p + warp * 65536 + lane * F;
  __syncthreads();
  const long long from = clock64();
  for (int i = 0; i < rounds; ++i) {
    float* a = q + (i * 32 * F & mask);
#pragma unroll
    for (int f = 0; f < F; ++f) asm volatile("st.global.f32 [%0], %1;" ::"l"(a + f), "f"(1.f) : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) t[0] = clock64() - from;
}
__global__ void __launch_bounds__(1024) beside(unsigned* p, unsigned* chain, long long* t, int rounds, int lanes, int apart) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  __shared__ volatile int stop;
  if (threadIdx.x == 0) stop = 0;
  __syncthreads();
  if (warp == 0) {
    if (lane == 0) {
      unsigned at = 0;
      for (int i = 0; i < 20; ++i) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(chain + at) : "memory");
      const long long from = clock64();
      for (int i = 0; i < rounds; ++i) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(chain + at) : "memory");
      if (at == 12345) t[2] = at;
      t[0] = clock64() - from;
      stop = 1;
    }
  } else {
    unsigned* q = p + warp * 65536 + lane * apart;
    const long long from = clock64();
    int i = 0;
    for (; !stop; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (lane < lanes) asm volatile("st.global.u32 [%0], %1;" ::"l"(q + ((i * 4 + k) * 1024 & 32767)), "r"(i) : "memory");
    if (lane == 0 && warp == 1) t[1] = (clock64() - from) * 1000 / (4 * i);
  }
}
static unsigned* p;
static long long* t;
template <int B> void run(const char* what, int lanes, int apart, int delay, int fields = 8, int rounds = 64) {
  long long h;
  fill<B><<<1, 32>>>(p, t, rounds, lanes, apart, delay, fields);
  cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
  printf("%s,%d,%d,%d,%d,%d,%.2f\n", what, lanes, apart, delay, fields, rounds, double(h) / rounds / fields);
}
int main() {
  cudaMalloc(&p, 64 << 20), cudaMalloc(&t, 64);
  cudaMemset(p, 0, 64 << 20);
  printf("between,lanes,words apart,delay,fields,rounds,cycles per store\n");
  for (int lanes : {1, 8, 12, 15, 16, 17, 18, 20, 22, 24, 26, 28, 30, 31, 32}) run<Nothing>("nothing", lanes, 32, 0);
  for (int lanes : {16, 17, 20, 24, 28, 32}) run<Nothing>("nothing", lanes, 16, 0);  // half of the lines
  for (int lanes : {24, 32}) run<Nothing>("nothing", lanes, 64, 0);
  for (int delay : {20, 50, 100, 200, 300, 400, 600, 1000, 2000, 5000, 20000, 100000}) run<Delay>("delay", 1, 32, delay, 8, delay > 5000 ? 4 : 32);
  for (int delay : {100, 1000}) run<Delay>("delay", 8, 32, delay, 8, 32);
  run<Fence>("fence", 1, 32, 0), run<CtaFence>("CTA fence", 1, 32, 0), run<Load>("load", 1, 32, 0), run<LoadSame>("load of it", 1, 32, 0), run<Barrier>("barrier", 1, 32, 0), run<Shared>("shared store", 1, 32, 0), run<Atomic>("atomic", 1, 32, 0);
  run<Nothing>("nothing", 32, 1, 0, 1), run<Nothing>("nothing", 32, 1, 0, 4), run<Nothing>("nothing", 4, 8, 0, 8), run<Nothing>("nothing", 4, 8, 0, 4), run<Nothing>("nothing", 1, 32, 0, 3), run<Nothing>("nothing", 1, 32, 0, 8), run<Nothing>("nothing", 1, 32, 0, 12), run<Nothing>("nothing", 1, 32, 0, 32);
  printf("warps,fields,cycles per store\n");
  auto structs = [&](auto kernel, int fields, int warps) {
    long long h;
    kernel<<<1, warps * 32>>>((float*)p, t, 256, 16383);
    cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
    printf("%d,%d,%.2f\n", warps, fields, double(h) / (256.0 * fields * warps));
  };
  for (int w : {1, 2, 4, 8, 16, 32}) structs(structures<1>, 1, w), structs(structures<2>, 2, w), structs(structures<4>, 4, w), structs(structures<8>, 8, w);
  unsigned *chain, c[1024];
  cudaMalloc(&chain, sizeof c);
  for (int i = 0; i < 1024; ++i) c[i] = (i + 32) % 1024;
  cudaMemcpy(chain, c, sizeof c, cudaMemcpyHostToDevice);
  printf("lanes,words apart,storing warps,load to load,cycles per store and warp\n");
  for (auto [lanes, apart] : {std::pair{32, 1}, {32, 8}, {32, 32}, {8, 32}, {1, 1}})
    for (int w : {1, 2, 3, 5, 9, 17, 32}) {
      long long h[2];
      for (int again = 0; again < 2; ++again) beside<<<1, w * 32>>>(p, chain, t, 200, lanes, apart);
      cudaMemcpy(h, t, 16, cudaMemcpyDeviceToHost);
      printf("%d,%d,%d,%.1f,%.2f\n", lanes, apart, w - 1, h[0] / 200.0, w > 1 ? h[1] / 1000.0 : 0);
    }
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
