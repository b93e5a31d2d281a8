// Which fences and ordered accesses empty an SM's L1, for whom, and what they cost. Two warps of a CTA have read the same lines; one of them does something; then one of
// them reads a line again.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/fences.cu -o fences && ./fences
// Behind that, what a turn of a loop takes that does something to a line of each warp's own (or of each lane's) and then fences, by CTAs and warps; and what a fence
// of a warp takes while others are busy.
// Prints cycles of the operation and of the load behind it (median of 15; L1 about 40, L2 about 290), by who reads: the warp that did it, the other one, or the other
// one through the read-only path; "under way": a line whose load the other warp had begun, from DRAM, when the operation began.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
enum Op { kNothing, kFenceCta, kFenceGpu, kFenceScGpu, kMembarGpu, kFenceSys, kAcquireLoad, kAcquireLoadCta, kRelaxedLoad, kVolatileLoad, kReleaseStore, kRelaxedAtomic, kAcquireAtomic,
          kReleaseAtomic, kOrderedAtomic, kReleaseReduction, kBarrier, kOps };
const char* const kNames[] = {"nothing", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.gpu", "membar.gl", "fence.acq_rel.sys", "ld.acquire.gpu", "ld.acquire.cta", "ld.relaxed.gpu",
                              "ld.volatile", "st.release.gpu", "atom.relaxed.gpu", "atom.acquire.gpu", "atom.release.gpu", "atom.acq_rel.gpu", "red.release.gpu", "bar.sync"};
enum Reader { kSame, kOther, kReadOnly, kUnderWay };
template <int O>
__device__ unsigned operate(unsigned* word) {
  unsigned v = 0;
  if (O == kFenceCta) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if (O == kFenceGpu) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if (O == kFenceScGpu) asm volatile("fence.sc.gpu;" ::: "memory");
  if (O == kMembarGpu) asm volatile("membar.gl;" ::: "memory");
  if (O == kFenceSys) asm volatile("fence.acq_rel.sys;" ::: "memory");
  if (O == kAcquireLoad) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
  if (O == kAcquireLoadCta) asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
  if (O == kRelaxedLoad) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
  if (O == kVolatileLoad) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
  if (O == kReleaseStore) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(v) : "memory");
  if (O == kRelaxedAtomic) asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(word) : "memory");
  if (O == kAcquireAtomic) asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(word) : "memory");
  if (O == kReleaseAtomic) asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(word) : "memory");
  if (O == kOrderedAtomic) asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(word) : "memory");
  if (O == kReleaseReduction) asm volatile("red.release.gpu.global.add.u32 [%0], 0;" ::"l"(word) : "memory");
  if (O == kBarrier) asm volatile("bar.sync 1, 32;" ::: "memory");
  return v;
}
template <int R>
__device__ unsigned load(const unsigned* a) {
  unsigned v;
  if (R == kReadOnly) asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
  else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
  return v;
}
template <int O, int R>
__global__ void go(unsigned* lines, unsigned* word, long long* t) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned s = 0;
  for (int i = 0; i < 8; ++i) s += load<R>(lines + i * 32 + lane);
  s += load<R>(word + lane);
  if (s == 0x12345) t[7] = s;
  __syncthreads();
  unsigned early = 0;
  if (R == kUnderWay && warp == 1) early = load<R>(lines + 8192 + lane);
  if (R == kUnderWay) __syncthreads();
  if (warp == 0) {
    const long long from = clock64();
    s += operate<O>(word);
    if (s == 0x12345) t[7] = s;
    const long long to = clock64();
    if (lane == 0) t[0] = to - from;
  }
  s += early;
  if (s == 0x12345) t[7] = s;
  __syncthreads();
  if (warp == (R == kOther || R == kReadOnly)) {
    const long long from = clock64();
    s += load<R>(R == kUnderWay ? lines + 8192 + lane : lines + 3 * 32 + lane);
    if (s == 0x12345) t[7] = s;
    const long long to = clock64();
    if (lane == 0) t[1] = to - from;
  }
}
enum Before { kNone, kStore, kStoreLines, kReduction, kReductionSame, kLoad, kAtomic };
const char* const kBefore[] = {"nothing", "a store", "a store to 32 lines", "a reduction", "a reduction to one word of all", "a load past the L1", "an atomic"};
template <int B, bool Fence>
__global__ void turns(unsigned* lines, long long* t, int rounds) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned* const p = B == kReductionSame ? lines : lines + warp * 1024 + lane * (B == kStoreLines ? 32 : 1);
  unsigned v = 0;
  __syncthreads();
  const long long from = clock64();
  for (int r = 0; r < rounds; ++r) {
    if (B == kStore || B == kStoreLines) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(r) : "memory");
    if (B == kReduction || B == kReductionSame) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    if (B == kLoad) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    if (B == kAtomic) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
    if (Fence) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (v == 0x12345) break;
  }
  const long long to = clock64();
  if (lane == 0) atomicMax((unsigned long long*)t, (unsigned long long)(to - from));
}
// Warp 0 of each CTA fences (after a store of its own or not); the others do something else all the time.
template <int B, bool Store>
__global__ void beside(unsigned* lines, long long* t, int rounds) {
  __shared__ volatile int done;
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned* const p = B == kReductionSame ? lines : lines + warp * 1024 + lane * (B == kStoreLines ? 32 : 1);
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  unsigned v = 0;
  if (threadIdx.x < 32) {
    const long long from = clock64();
    for (int r = 0; r < rounds; ++r) {
      if (Store) asm volatile("st.global.u32 [%0], %1;" ::"l"(lines + warp * 1024 + lane), "r"(r) : "memory");
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    const long long to = clock64();
    done = 1;
    if (lane == 0) atomicMax((unsigned long long*)t, (unsigned long long)(to - from));
    return;
  }
  for (int r = 0; r < 4000 && !done; ++r) {
    if (B == kStore || B == kStoreLines) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(r) : "memory");
    if (B == kReduction || B == kReductionSame) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    if (B == kLoad) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + (r & 15) * 32) : "memory");
    if (B == kAtomic) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
    if (v == 0x12345) break;
  }
}
unsigned *lines, *word, *flush;
long long* t;
template <int O, int R>
void run(const char* reader) {
  long long op[15], again[15];
  for (int k = 0; k < 15; ++k) {
    cudaMemset(flush, k, 256 << 20);
    long long h[2] = {-1, -1};
    go<O, R><<<1, 64>>>(lines, word, t);
    cudaMemcpy(h, t, 16, cudaMemcpyDeviceToHost);
    op[k] = h[0], again[k] = h[1];
  }
  std::sort(op, op + 15), std::sort(again, again + 15);
  printf("%s,%s,%lld,%lld\n", kNames[O], reader, op[7], again[7]);
}
template <int O>
void all() {
  run<O, kSame>("the same warp"), run<O, kOther>("the other warp"), run<O, kReadOnly>("the other warp (nc)"), run<O, kUnderWay>("under way");
  if constexpr (O + 1 < kOps) all<O + 1>();
}
template <int B>
void turn(int ctas, int warps) {
  constexpr int kRounds = 50;
  double cycles[2];
  for (int fence = 0; fence < 2; ++fence) {
    cudaMemset(t, 0, 64);
    fence ? turns<B, true><<<ctas, 32 * warps>>>(lines, t, kRounds) : turns<B, false><<<ctas, 32 * warps>>>(lines, t, kRounds);
    long long h;
    cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
    cycles[fence] = double(h) / kRounds;
  }
  printf("%s,%d,%d,%.1f,%.1f\n", kBefore[B], ctas, warps, cycles[0], cycles[1]);
  if constexpr (B + 1 <= kAtomic) turn<B + 1>(ctas, warps);
}
template <int B>
void other(int ctas, int warps) {
  constexpr int kRounds = 20;
  double cycles[2];
  for (int store = 0; store < 2; ++store) {
    cudaMemset(t, 0, 64);
    store ? beside<B, true><<<ctas, 32 * warps>>>(lines, t, kRounds) : beside<B, false><<<ctas, 32 * warps>>>(lines, t, kRounds);
    long long h;
    cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
    cycles[store] = double(h) / kRounds;
  }
  printf("%s,%d,%d,%.1f,%.1f\n", kBefore[B], ctas, warps, cycles[0], cycles[1]);
  if constexpr (B + 1 <= kAtomic) other<B + 1>(ctas, warps);
}
int main() {
  cudaMalloc(&lines, 32 << 20), cudaMalloc(&word, 4096), cudaMalloc(&t, 64), cudaMalloc(&flush, 256 << 20);
  cudaMemset(lines, 0, 32 << 20), cudaMemset(word, 0, 4096);
  printf("operation,reader,cycles of the operation,cycles of the load\n");
  all<kNothing>();
  printf("before the fence,CTAs,warps,cycles of a turn without it,with it\n");
  for (int ctas : {1, 132})
    for (int warps : {1, 8, 32}) turn<kNone>(ctas, warps);
  printf("what other warps do all the time,CTAs,warps,cycles of a fence,of a store and a fence\n");
  for (int ctas : {1, 132})
    for (int warps : {2, 8, 32}) other<kNone>(ctas, warps);
  fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
