// Atomics of shared memory: latency and rate by operation and by how many lanes meet in a word or a bank.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/shared_atomics.cu -o shared_atomics && ./shared_atomics
// chain: cycles from one to the next that needs its result (one warp). rate: cycles per warp instruction and SM, 32 warps.
#include <cstdio>
#include <cuda_runtime.h>
enum Kind { Red, Add, Max, Exchange, Cas, AddFloat, AddLong, Load };
// Lane l works on word (l % distinct) * apart + the warp's own kilobyte if `own`.
template <int K, bool Chain>
__global__ void atomics(long long* out, int distinct, int apart, int own, int rounds) {
  __shared__ alignas(8) unsigned table[12 * 1024];
  for (int i = threadIdx.x; i < 12 * 1024; i += blockDim.x) table[i] = 0;
  unsigned at = (threadIdx.x % 32 % distinct) * apart + (own ? threadIdx.x / 32 * 32 : 0), s = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 4
    for (int i = 0; i < rounds; ++i) {
      unsigned v = 0;
      const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(table + at));
      if (K == Red) asm volatile("red.shared.add.u32 [%0], 0;" ::"r"(a));
      if (K == Add) asm volatile("atom.shared.add.u32 %0, [%1], 0;" : "=r"(v) : "r"(a));
      if (K == Max) asm volatile("atom.shared.max.u32 %0, [%1], 0;" : "=r"(v) : "r"(a));
      if (K == Exchange) asm volatile("atom.shared.exch.b32 %0, [%1], 0;" : "=r"(v) : "r"(a));
      if (K == Cas) asm volatile("atom.shared.cas.b32 %0, [%1], 0, 0;" : "=r"(v) : "r"(a));
      if (K == Load) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(a));
      if (K == AddFloat) {
        float f;
        asm volatile("atom.shared.add.f32 %0, [%1], 0f00000000;" : "=f"(f) : "r"(a));
        v = __float_as_uint(f);
      }
      if (K == AddLong) {
        unsigned long long w;
        asm volatile("atom.shared.add.u64 %0, [%1], 0;" : "=l"(w) : "r"(a & ~7u));
        v = static_cast<unsigned>(w);
      }
      if (Chain) at += v; else s += v;
    }
    if (s + at == 0x12345) out[1] = s;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = clock64() - from;
}
template <int K>
void both(const char* name) {
  long long *out, h;
  cudaMalloc(&out, 64);
  const int n = 512;
  auto get = [&] { cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost); return double(h) / n; };
  for (int apart : {1, 2, 32})
    for (int d : {32, 16, 8, 4, 2, 1}) {
      if (apart != 1 && d == 1) continue;
      atomics<K, true><<<1, 32>>>(out, d, apart, 0, n);
      const double chain = get();
      atomics<K, false><<<1, 32>>>(out, d, apart, 0, n);
      const double one = get();
      atomics<K, false><<<1, 1024>>>(out, d, apart, 0, n);
      const double all = get() / 32;
      atomics<K, false><<<1, 1024>>>(out, d, apart, 1, n);
      printf("%s,%d,%d,%.1f,%.2f,%.2f,%.2f\n", name, d, apart, chain, one, all, get() / 32);
    }
}
// Loads by width: lane l at l * apart bytes.
template <int Words, bool Chain>
__global__ void loads(long long* out, int apart, int rounds) {
  __shared__ alignas(16) unsigned table[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) table[i] = 0;
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(table)) + threadIdx.x % 32 * apart, s = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 4
    for (int i = 0; i < rounds; ++i) {
      unsigned x = 0, y = 0, z = 0, w = 0;
      if (Words == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(at));
      if (Words == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
      if (Words == 4) asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at));
      if (Chain) at += x; else s += x + w;
    }
    if (s + at == 0x12345) out[1] = s;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = clock64() - from;
}
template <int Words>
void widths() {
  long long *out, h;
  cudaMalloc(&out, 64);
  for (int apart : {0, 4 * Words, 8 * Words, 16 * Words}) {
    loads<Words, true><<<1, 32>>>(out, apart, 512);
    cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost);
    const double chain = h / 512.0;
    loads<Words, false><<<1, 1024>>>(out, apart, 512);
    cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost);
    printf("%d words,%d,%.1f,%.2f\n", Words, apart, chain, h / 512.0 / 32);
  }
}
int main() {
  printf("operation,words,apart,chain,one warp,rate,rate each warp its own\n");
  both<Load>("ld"), both<Red>("red.add"), both<Add>("atom.add"), both<Max>("atom.max"), both<Exchange>("atom.exch"), both<Cas>("atom.cas");
  both<AddFloat>("atom.add.f32"), both<AddLong>("atom.add.u64");
  printf("load,bytes from lane to lane,chain,rate\n");
  widths<1>(), widths<2>(), widths<4>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
