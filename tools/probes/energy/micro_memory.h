// Kernels that use one level of memory; arguments and rounds as in micro_kernels.h. What they read is only combined by XOR, two
// words per instruction. A place that moves every round keeps loads inside the loop.
#pragma once
#include "micro_kernels.h"

__device__ inline void fold(unsigned& sum, unsigned a, unsigned b) {
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(sum) : "r"(a), "r"(b));
}
__device__ inline void fold(unsigned& sum, uint4 v) { fold(sum, v.x, v.y), fold(sum, v.z, v.w); }

// Offsets are literals, so that no address is computed for them, neither in machine code nor in PTX.
#define ALL2(F) F(0) F(1)
#define ALL8(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define ALL16(F) ALL8(F) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
#define ALL32(F) ALL16(F) F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31)
#define LOAD_4(P, KIND, REG, AT, OFFSET) asm volatile("ld." KIND ".u32 %0, [%1 + %2];" : "=r"(v[P]) : REG(AT), "n"(OFFSET));
#define LOAD_16(P, KIND, REG, AT, OFFSET)                                                                        \
  asm volatile("ld." KIND ".v4.u32 {%0,%1,%2,%3}, [%4 + %5];"                                                    \
               : "=r"(v[P].x), "=r"(v[P].y), "=r"(v[P].z), "=r"(v[P].w) : REG(AT), "n"(OFFSET));
#define STORE_16(AT, OFFSET, V) \
  asm volatile("st.global.v4.u32 [%0 + %1], {%2,%3,%4,%5};" ::"l"(AT), "n"(OFFSET), "r"(V.x), "r"(V.y), "r"(V.z), "r"(V.w));
#define FOLD_4(N) EACH(p, N / 2) fold(sum, v[2 * p], v[2 * p + 1]);
#define FOLD_16(N) EACH(p, N) fold(sum, v[p]);

// 32 KiB of shared memory. WORDS: from lane to lane.
#define SHARED(NAME, TYPE, COUNT, WORDS, BODY)                                                        \
  MICRO(NAME) {                                                                                       \
    __shared__ unsigned words[8192];                                                                  \
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = in[(i + 17 * blockIdx.x) & 8191]; \
    __syncthreads();                                                                                  \
    const unsigned at = (unsigned)__cvta_generic_to_shared(words + threadIdx.x * WORDS);              \
    unsigned sum = 0;                                                                                 \
    TYPE v[COUNT];                                                                                    \
    EACH(p, COUNT) v[p] = start<TYPE>(in, p);                                                         \
    ROUNDS { REPEAT(4) { BODY } }                                                                     \
    finish(out, sum ^ words[threadIdx.x]);                                                            \
  }
#define LOAD(P) LOAD_4(P, "volatile.shared", "r", at, P * 4096)
SHARED(lds, unsigned, 8, 1, ALL8(LOAD) FOLD_4(8))
#undef LOAD
#define LOAD(P) LOAD_4(P, "volatile.shared", "r", at, P % 4 * 4 + P / 4 * 16384)
SHARED(lds_4way, unsigned, 8, 4, ALL8(LOAD) FOLD_4(8))
#undef LOAD
#define LOAD(P) LOAD_16(P, "volatile.shared", "r", at, P * 16384)
SHARED(lds_16, uint4, 2, 4, ALL2(LOAD) FOLD_16(2))
#undef LOAD
#define STORE(P) \
  asm volatile("st.volatile.shared.u32 [%0 + %1], %2;" ::"r"(at), "n"(P * 4096), "r"(v[(P + repeat) % 8]));
SHARED(sts, unsigned, 8, 1, ALL8(STORE))
#undef STORE
#define STORE(P) \
  asm volatile("st.volatile.shared.u32 [%0 + %1], %2;" ::"r"(at), "n"(P % 4 * 4 + P / 4 * 16384), "r"(v[(P + repeat) % 8]));
SHARED(sts_4way, unsigned, 8, 4, ALL8(STORE))
#undef STORE

// x a + c with a from memory, below 1: x stays bounded and does not come to rest.
#define NEXT "fma.rn.f32 %0, %0, %1, %2;"
// Fused multiply-adds beside loads from shared memory, four to one.
MICRO(ffma_lds) {
  __shared__ unsigned words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = in[(i + 17 * blockIdx.x) & 8191];
  __syncthreads();
  const unsigned at = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
  float x[8], c[4];
  unsigned v[8];
  EACH(p, 8) x[p] = start<float>(in, p);
  EACH(p, 4) c[p] = start<float>(in, p + 8);
  ROUNDS {
    REPEAT(4) {
#define LOAD(P) LOAD_4(P, "volatile.shared", "r", at, P * 4096)
      ALL8(LOAD)
#undef LOAD
      EACH(t, 4) EACH(p, 8) asm volatile(NEXT : "+f"(x[p]) : "f"(__uint_as_float(v[(p + t) % 8])), "f"(c[t]));
    }
  }
  float sum = 0;
  EACH(p, 8) sum += x[p];
  finish(out, sum);
}

// Constant memory, the same place in all lanes, which the assembler cannot know.
__constant__ unsigned constants[1024];
MICRO(ldc) {
  unsigned sum = 0, v[32], move = in[threadIdx.x & 31] == 1 ? 4 : 0;
  ROUNDS {
    const unsigned* const at = constants + move;
#define LOAD(P) LOAD_4(P, "const", "l", at, P * 100)
    ALL32(LOAD)
#undef LOAD
    FOLD_4(32)
    move ^= 32;
  }
  finish(out, sum);
}

// Global memory: every CTA has 128 KiB of its own, and a little; a round reads or writes them once, the next round 512 bytes
// further, the next one back again.
#define REGION (160u << 10)
#define OWN(WHAT, STRIDE, ...)                                                                      \
  const unsigned long long base =                                                                   \
      (unsigned long long)WHAT + 65536 + (unsigned long long)blockIdx.x * REGION + threadIdx.x * STRIDE; \
  unsigned long long move = 0;                                                                      \
  ROUNDS {                                                                                          \
    const unsigned long long at = base + move;                                                      \
    __VA_ARGS__                                                                                     \
    move ^= 512;                                                                                    \
  }
#define LOADS(NAME, TYPE, COUNT, STRIDE, BODY, FOLD) \
  MICRO(NAME) {                                      \
    unsigned sum = 0;                                \
    TYPE v[COUNT];                                   \
    OWN(in, STRIDE, BODY FOLD(COUNT))                \
    finish(out, sum);                                \
  }
// 4 bytes a lane: 4 sectors of a line.
#define LOAD(P) LOAD_4(P, "global.ca", "l", at, P * 4096)
LOADS(l1_4, unsigned, 32, 4, ALL32(LOAD), FOLD_4)
#undef LOAD
// 32 lanes in 32 lines.
#define LOAD(P) LOAD_4(P, "global.ca", "l", at, P * 4)
LOADS(l1_gather, unsigned, 32, 128, ALL32(LOAD), FOLD_4)
#undef LOAD
// 16 bytes a lane: 16 sectors of 4 lines.
#define LOAD(P) LOAD_16(P, "global.ca", "l", at, P * 16384)
LOADS(l1_16, uint4, 8, 16, ALL8(LOAD), FOLD_16)
#undef LOAD
#define LOAD(P) LOAD_16(P, "global.cg", "l", at, P * 16384)
LOADS(l2_read, uint4, 8, 16, ALL8(LOAD), FOLD_16)
#define STORE(P) STORE_16(at, P * 16384, w[P % 2])
MICRO(l2_write) {
  const uint4 w[2] = {start<uint4>(in, 0), start<uint4>(in, 1)};
  OWN(out, 16, ALL8(STORE))
}
// 32 lanes in 32 sectors of 8 lines.
MICRO(red) {
  const unsigned v = start<unsigned>(in, 0);
#define ADD(P) asm volatile("red.global.add.u32 [%0 + %1], %2;" ::"l"(at), "n"(P % 4 * 32768 + P / 4 * 4), "r"(v));
  OWN(out, 32, ALL16(ADD))
}

// The whole buffer, in pieces of 128 KiB that CTAs take in turn.
#define WHOLE(...)                                                                   \
  unsigned long long place = ((unsigned long long)blockIdx.x << 17) + threadIdx.x * 16; \
  const unsigned long long step = (unsigned long long)gridDim.x << 17;               \
  ROUNDS {                                                                           \
    const unsigned long long at = (unsigned long long)in + place;                    \
    const unsigned long long to = (unsigned long long)out + place;                   \
    (void)at, (void)to;                                                              \
    __VA_ARGS__                                                                      \
    place = (place + step) & (bytes - 1);                                            \
  }
MICRO(dram_read) {
  unsigned sum = 0;
  uint4 v[8];
  WHOLE(ALL8(LOAD) FOLD_16(8))
  finish(out, sum);
}
#define STORE_TO(P) STORE_16(to, P * 16384, w[P % 2])
MICRO(dram_write) {
  const uint4 w[2] = {start<uint4>(in, 0), start<uint4>(in, 1)};
  WHOLE(ALL8(STORE_TO))
}
#define COPY_TO(P) STORE_16(to, P * 16384, v[P])
MICRO(dram_copy) {
  uint4 v[8];
  WHOLE(ALL8(LOAD) ALL8(COPY_TO))
}
// Beside every 16 bytes of a lane 16 fused multiply-adds.
MICRO(ffma_dram) {
  float x[8], c[4];
  uint4 v[8];
  EACH(p, 8) x[p] = start<float>(in, p);
  EACH(p, 4) c[p] = start<float>(in, p + 8);
  WHOLE(
    ALL8(LOAD)
    EACH(p, 8) EACH(t, 4) {
      const float a = __uint_as_float(t == 0 ? v[p].x : t == 1 ? v[p].y : t == 2 ? v[p].z : v[p].w);
      EACH(q, 4) asm volatile(NEXT : "+f"(x[(q + 4 * t) % 8]) : "f"(a), "f"(c[q]));
    }
  )
  float sum = 0;
  EACH(p, 8) sum += x[p];
  finish(out, sum);
}
// Single words anywhere: a sector each, and rows that are open for nobody else.
MICRO(dram_random) {
  unsigned sum = 0, v[8], at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  const unsigned mask = (unsigned)(bytes / 32 - 1);
  ROUNDS {
    EACH(p, 8) {
      at = at * 1664525u + 1013904223u;
      asm volatile("{.reg .u64 a; mad.wide.u32 a, %1, 32, %2; ld.global.cg.u32 %0, [a];}" : "=r"(v[p]) : "r"(at & mask), "l"(in));
    }
    FOLD_4(8)
  }
  finish(out, sum);
}

// Almost nothing: warps that sleep for `bytes` nanoseconds.
MICRO(sleep) {
  ROUNDS asm volatile("nanosleep.u32 %0;" ::"r"((unsigned)bytes));
}
