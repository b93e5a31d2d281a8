// What atomics cost in L2: by lanes per word, words per sector, kind, and where lines lie.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/atomics.cu -o atomics && ./atomics
// All SMs send `rounds` warp instructions per warp. Prints cycles (clock rate x time by events, mean of 5) per warp instruction.
#include <cstdio>
#include <cuda_runtime.h>
enum Kind { RedU32, RedF32, RedU64, RedF64, RedMinU64, AtomU32, AtomCas, AtomExch, Store };
// Lane l goes to word (l / share % words) * stride, of a place of `apart` words per warp (0: all warps the same).
template <int K>
__global__ void ops(char* a, int share, int words, int stride, long apart, long mask, int rounds, int active) {
  const int lane = threadIdx.x % 32;
  const long warp = (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32, warps = gridDim.x * (long)blockDim.x / 32;
  if (lane >= active) return;
  unsigned s = 0;
  for (int i = 0; i < rounds; ++i) {
    const long w = ((warp + i * warps) * apart + (long)(lane / share % words) * stride) & mask;
    unsigned* u = (unsigned*)a + w;
    unsigned long long* d = (unsigned long long*)a + w;
    if (K == RedU32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(u), "r"(lane));
    if (K == RedF32) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(u), "f"(1.f));
    if (K == RedU64) asm volatile("red.global.add.u64 [%0], %1;" ::"l"(d), "l"(1ull));
    if (K == RedF64) asm volatile("red.global.add.f64 [%0], %1;" ::"l"(d), "d"(1.0));
    if (K == RedMinU64) asm volatile("red.global.min.u64 [%0], %1;" ::"l"(d), "l"(1ull + lane));
    if (K == Store) asm volatile("st.global.u32 [%0], %1;" ::"l"(u), "r"(lane));
    unsigned old = 0;
    if (K == AtomU32) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(u), "r"(lane));
    if (K == AtomCas) asm volatile("atom.global.cas.b32 %0, [%1], 0, %2;" : "=r"(old) : "l"(u), "r"(lane));
    if (K == AtomExch) asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(u), "r"(lane));
    s += old;
  }
  if (s == 0x12345) a[0] = 1;
}
char* a;
template <int K>
double time_of(int share, int words, int stride, long apart, long mask, int rounds, int active, int ctas = 264, char* at = nullptr) {
  cudaEvent_t e[2];
  cudaEventCreate(e), cudaEventCreate(e + 1);
  float best = 1e9;
  for (int r = 0; r < 4; ++r) {
    cudaEventRecord(e[0]);
    ops<K><<<ctas, 256>>>(at ? at : a, share, words, stride, apart, mask, rounds, active);
    cudaEventRecord(e[1]);
    cudaEventSynchronize(e[1]);
    float ms;
    cudaEventElapsedTime(&ms, e[0], e[1]);
    if (r > 0 && ms < best) best = ms;
  }
  return best * 1.98e6 / (ctas * 8.0 * rounds);
}
template <int K>
void one_line(const char* kind, int size) {
  // all warps on one line
  for (int active : {1, 2, 4, 8, 16, 32}) printf("one word,%s,%d lanes,%.3f\n", kind, active, time_of<K>(32, 1, 1, 0, ~0l, 32, active));
  const int per = 32 / size;
  for (int active : {2, 4, 8}) if (active <= per) printf("words of a sector,%s,%d lanes,%.3f\n", kind, active, time_of<K>(1, 32, 1, 0, ~0l, 32, active));
  for (int sectors : {1, 2, 4}) printf("a word per sector,%s,%d lanes,%.3f\n", kind, sectors, time_of<K>(1, 32, per, 0, ~0l, 32, sectors));
  printf("full line,%s,%d lanes,%.3f\n", kind, 128 / size, time_of<K>(1, 32, 1, 0, ~0l, 32, 128 / size < 32 ? 128 / size : 32));
  for (int share : {2, 4, 8, 16}) printf("lanes share words,%s,%d to a word next to each other,%.3f\n", kind, share, time_of<K>(share, 32, 1, 0, ~0l, 32, 32));
  for (int words : {2, 4, 8, 16}) printf("lanes share words,%s,%d words in turn,%.3f\n", kind, words, time_of<K>(1, words, 1, 0, ~0l, 32, 32));
  // spread over 16 MiB
  const long mask = (16l << 20) / size - 1;
  printf("spread: full lines,%s,,%.4f\n", kind, time_of<K>(1, 32, 1, 32, mask, 64, 32));
  for (int stride : {2, 4, 8, 16, 32, 64}) printf("spread: stride,%s,%d,%.4f\n", kind, stride, time_of<K>(1, 32, stride, 32l * stride, mask, 64, 32));
  printf("spread: one lane,%s,,%.4f\n", kind, time_of<K>(1, 32, 1, 32, mask, 64, 1));
  printf("spread: one word of all lanes,%s,,%.4f\n", kind, time_of<K>(32, 1, 1, 32, mask, 64, 32));
}
// Two lines at once: the same slice takes twice as long as two.
__global__ void two(char* a, long apart, int rounds) {
  unsigned* u = (unsigned*)(a + (blockIdx.x & 1) * apart) + threadIdx.x % 32;
  for (int i = 0; i < rounds; ++i) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(u), "r"(1));
}
int main() {
  cudaMalloc(&a, 64 << 20), cudaMemset(a, 0, 64 << 20);
  one_line<RedU32>("red.u32", 4), one_line<RedF32>("red.f32", 4), one_line<RedU64>("red.u64", 8), one_line<RedF64>("red.f64", 8);
  one_line<RedMinU64>("red.min.u64", 8), one_line<AtomU32>("atom.u32", 4), one_line<AtomCas>("atom.cas", 4), one_line<AtomExch>("atom.exch", 4);
  one_line<Store>("store", 4);
  cudaEvent_t e[2];
  cudaEventCreate(e), cudaEventCreate(e + 1);
  for (long base : {0l, 1l << 20, 5l << 20})
    for (long apart = 0; apart < 64; ++apart) {
      float best = 1e9;
      for (int r = 0; r < 3; ++r) {
        float ms;
        cudaEventRecord(e[0]), two<<<264, 256>>>(a + base, apart * 128, 32), cudaEventRecord(e[1]), cudaEventSynchronize(e[1]);
        cudaEventElapsedTime(&ms, e[0], e[1]);
        if (ms < best) best = ms;
      }
      printf("two lines,%ld,%ld apart,%.3f\n", base, apart, best * 1.98e6 / (264 * 8 * 32));
    }
  return cudaDeviceSynchronize() != cudaSuccess;
}
