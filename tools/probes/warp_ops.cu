// What the lanes of a warp, and the warps of a CTA, do together: matches, reductions, votes, shuffles, barriers, and
// what it costs to part and to meet.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/warp_ops.cu -o warp_ops && ./warp_ops
// chain: cycles per operation of one warp that needs the last one's result. rate: cycles per operation and SM, 32 warps.
#include <cstdio>
#include <cuda_runtime.h>
enum Op { MatchAny, MatchAll, ReduxAdd, ReduxMin, ReduxAnd, Ballot, All, ShuffleIdx, ShuffleXor, ShuffleUp, Active, SyncWarp, Popc, Brev, Flo, Prmt, Fns };
template <int O>
__device__ unsigned apply(unsigned v, unsigned l) {
  int p;
  switch (O) {
    case MatchAny: return __match_any_sync(~0u, v);
    case MatchAll: return __match_all_sync(~0u, v, &p);
    case ReduxAdd: return __reduce_add_sync(~0u, v);
    case ReduxMin: return __reduce_min_sync(~0u, v);
    case ReduxAnd: return __reduce_and_sync(~0u, v);
    case Ballot: return __ballot_sync(~0u, v > l);
    case All: return __all_sync(~0u, v > l);
    case ShuffleIdx: return __shfl_sync(~0u, v, l ^ 5);
    case ShuffleXor: return __shfl_xor_sync(~0u, v, 1);
    case ShuffleUp: return __shfl_up_sync(~0u, v, 1);
    case Active: return v + __activemask();
    case SyncWarp: __syncwarp(); return v + 1;
    case Popc: return __popc(v);
    case Brev: return __brev(v);
    case Flo: return __clz(v);
    case Prmt: return __byte_perm(v, l, 0x2143);
    default: return v;
  }
}
template <int O, bool Chain>
__global__ void ops(long long* out, unsigned distinct, int rounds) {
  const unsigned l = threadIdx.x % 32;
  unsigned v = l % distinct, s = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 16
    for (int i = 0; i < rounds; ++i) {
      const unsigned x = apply<O>(Chain ? v : v + (i & 15) * 32, l);
      if (Chain) v = (x & 0x80000000u) ? v : (l % distinct) + (x >> 31);  // keeps the values apart
      else s ^= x;
    }
    if (s + v == 0x12345) out[1] = 1;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = clock64() - from;
}
template <int Kind>
__global__ void barriers(long long* out, int rounds) {
  int s = 0;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) {
    if (Kind == 0) __syncthreads();
    if (Kind == 1) s += __syncthreads_count(threadIdx.x + s > 5);
    if (Kind == 2) s += __syncthreads_or(threadIdx.x + s > 5);
    if (Kind == 3) { __threadfence_block(); __syncthreads(); }
    if (Kind == 4) { __threadfence(); }
    if (Kind == 5) { __threadfence_block(); }
  }
  if (threadIdx.x == 0) out[0] = clock64() - from, out[1] = s;
}
// Kind 0: no branch; 1: all lanes take it; 2: half of them, both sides of N instructions; 3: one side only;
// 4: a switch of 8 ways by lane; 5: a loop of lane % 4 more turns.
template <int Kind, int N>
__global__ void parting(long long* out, const float* in, int rounds, unsigned taken) {
  const unsigned l = threadIdx.x % 32;
  float x = in[l], y = in[l + 32];
  const bool mine = (taken >> l & 1) != 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; ++i) {
      if (Kind == 0) {
#pragma unroll
        for (int k = 0; k < N; ++k) x = x * 0.5f + y;
      } else if (Kind == 1 || Kind == 2) {
        if (mine) {
#pragma unroll
          for (int k = 0; k < N; ++k) x = x * 0.5f + y;
          asm volatile("" ::: "memory");
          if (x == 12345) out[3] = i;
        } else {
#pragma unroll
          for (int k = 0; k < N; ++k) y = y * 0.25f + x;
          asm volatile("" ::: "memory");
          if (y == 12345) out[4] = i;
        }
      } else if (Kind == 3) {
        if (mine) {
#pragma unroll
          for (int k = 0; k < N; ++k) x = x * 0.5f + y;
          if (x == 12345) out[3] = i;
        }
      } else if (Kind == 5) {
        for (int k = 0; k < 1 + (int)(l & taken); ++k) x = x * 0.5f + y;
      }
    }
    if (x + y == 1.5f) out[1] = 1;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = clock64() - from;
}
int main() {
  long long *out, h[2];
  float* in;
  cudaMalloc(&out, 64);
  cudaMalloc(&in, 256);
  cudaMemset(in, 0, 256);
  auto get = [&] {
    if (cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost) != cudaSuccess) printf("failed\n");
    return double(h[0]);
  };
  const int n = 1024;
  printf("operation,of,chain,rate\n");
#define OPS(NAME, OP)                                             \
  for (unsigned d : {1u, 2u, 4u, 8u, 16u, 32u}) {                 \
    if (d > 2 && OP != MatchAny) continue;                        \
    ops<OP, true><<<1, 32>>>(out, d, n);                          \
    const double chain = get() / n;                               \
    ops<OP, false><<<1, 1024>>>(out, d, n);                       \
    printf("%s,%u values,%.1f,%.2f\n", NAME, d, chain, get() / n / 32); \
  }
  OPS("match.any", MatchAny) OPS("match.all", MatchAll) OPS("redux.add", ReduxAdd) OPS("redux.min", ReduxMin)
  OPS("redux.and", ReduxAnd) OPS("ballot", Ballot) OPS("all", All) OPS("shfl.idx", ShuffleIdx) OPS("shfl.bfly", ShuffleXor)
  OPS("shfl.up", ShuffleUp) OPS("activemask", Active) OPS("syncwarp", SyncWarp) OPS("popc", Popc) OPS("brev", Brev)
  OPS("clz", Flo) OPS("prmt", Prmt)
#define BARRIER(NAME, K)                                                                       \
  for (int t : {32, 64, 128, 256, 512, 1024}) {                                                \
    barriers<K><<<1, t>>>(out, n);                                                             \
    const double one = get() / n;                                                              \
    barriers<K><<<132 * (2048 / t < 8 ? 2048 / t : 8), t>>>(out, n);                           \
    printf("%s,%d threads,%.1f alone,%.1f with as many CTAs as fit (8 at most)\n", NAME, t, one, get() / n); \
  }
  BARRIER("bar.sync", 0) BARRIER("bar.red.popc", 1) BARRIER("bar.red.or", 2) BARRIER("fence.cta and bar.sync", 3)
  BARRIER("fence.gpu", 4) BARRIER("fence.cta", 5)
#define PART(NAME, K, N, TAKEN)                                   \
  {                                                               \
    parting<K, N><<<1, 32>>>(out, in, n, TAKEN);                  \
    const double one = get() / n;                                 \
    parting<K, N><<<1, 1024>>>(out, in, n, TAKEN);                \
    printf("%s,%d instructions %08x,%.1f,%.2f\n", NAME, N, TAKEN, one, get() / n / 32); \
  }
#define PARTS(N)                                                                                             \
  PART("no branch", 0, N, ~0u) PART("all take it", 1, N, ~0u) PART("half", 2, N, 0xffffu) PART("one lane", 2, N, 1u) \
  PART("one side, none", 3, N, 0u) PART("one side, all", 3, N, ~0u) PART("one side, half", 3, N, 0xffffu)
  PARTS(1) PARTS(4) PARTS(16) PARTS(40)
  PART("loop, 0 to 3 more turns", 5, 1, 3u) PART("loop, 0 to 7 more turns", 5, 1, 7u) PART("loop, none more", 5, 1, 0u)
}
