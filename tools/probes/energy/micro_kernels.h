// Kernels that do one thing over and over. All take the same arguments: words to start from (zeros or random, by the
// buffer), where results go, a buffer's size in bytes (a power of two; where it matters), and rounds of their loop.
// What a round is made of stands in micro.cu; check_sass.py compares that with the machine code.
#pragma once

#define MICRO(NAME) extern "C" __global__ void __launch_bounds__(1024) do_##NAME(const unsigned* in, unsigned* out, unsigned long long bytes, int rounds)
#define REPEAT(N) _Pragma("unroll") for (int repeat = 0; repeat < N; ++repeat)
#define ROUNDS _Pragma("unroll 1") for (int round = 0; round < rounds; ++round)
#define EACH(I, N) _Pragma("unroll") for (int I = 0; I < N; ++I)

// Different in every lane; 8 KiB words of `in` are used.
template <class T>
__device__ T start(const unsigned* in, int k) {
  return ((const T*)in)[(threadIdx.x + 131 * k + 17 * blockIdx.x) & 4095];
}
template <class T>
__device__ void finish(unsigned* out, T x) {
  ((T*)out)[(blockIdx.x * blockDim.x + threadIdx.x) & 65535] = x;
}

// Arithmetic: four pairs of values, eight independent instructions, sixteen times. The pairs turn (x += a y, y -= a x), so that
// values neither grow nor come to rest.
#define PAIRS(NAME, TYPE, REG, FIRST, SECOND)                                                           \
  MICRO(NAME) {                                                                                         \
    TYPE x[4], y[4], a[4], b[4];                                                                        \
    EACH(p, 4) {                                                                                        \
      x[p] = start<TYPE>(in, p), y[p] = start<TYPE>(in, p + 4), a[p] = start<TYPE>(in, p + 8);          \
      b[p] = TYPE(0.5) != 0 ? -a[p] : start<TYPE>(in, p + 12);                                          \
    }                                                                                                   \
    ROUNDS {                                                                                            \
      REPEAT(16) {                                                                                      \
        EACH(p, 4) asm volatile(FIRST : "+" REG(x[p]) : REG(y[p]), REG(a[p]));                          \
        EACH(p, 4) asm volatile(SECOND : "+" REG(y[p]) : REG(x[p]), REG(b[p]));                         \
      }                                                                                                 \
    }                                                                                                   \
    TYPE sum = 0;                                                                                       \
    EACH(p, 4) sum += x[p] + y[p];                                                                      \
    finish(out, sum);                                                                                   \
  }
#define FMA "fma.rn.f32 %0, %1, %2, %0;"
#define IMAD "mad.lo.s32 %0, %1, %2, %0;"
PAIRS(ffma, float, "f", FMA, FMA)
PAIRS(ffma_imm, float, "f", "fma.rn.f32 %0, %1, 0f3F35A1C9, %0;", "fma.rn.f32 %0, %1, 0fBF35A1C9, %0;")
PAIRS(ffma_same, float, "f", "fma.rn.f32 %0, %0, %0, %0;", "fma.rn.f32 %0, %0, %0, %0;")
PAIRS(fadd, float, "f", "add.f32 %0, %0, %1;", "sub.f32 %0, %0, %1;")
PAIRS(dfma, double, "d", "fma.rn.f64 %0, %1, %2, %0;", "fma.rn.f64 %0, %1, %2, %0;")
PAIRS(iadd, int, "r", "add.s32 %0, %0, %1;", "add.s32 %0, %0, %1;")
PAIRS(iadd3, int, "r", "{.reg .s32 t; add.s32 t, %1, %2; add.s32 %0, %0, t;}", "{.reg .s32 t; add.s32 t, %1, %2; add.s32 %0, %0, t;}")
PAIRS(imad, int, "r", IMAD, IMAD)
PAIRS(logic, int, "r", "lop3.b32 %0, %0, %1, %2, 0x78;", "lop3.b32 %0, %0, %1, %2, 0xd2;")
PAIRS(shift, int, "r", "shf.l.wrap.b32 %0, %0, %1, %2;", "shf.r.wrap.b32 %0, %0, %1, %2;")
#define OTHER "{.reg .pred p; setp.eq.s32 p, %0, %2; selp.s32 %0, %1, %2, p;}"
PAIRS(compare, int, "r", OTHER, OTHER)
PAIRS(shuffle, int, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", "shfl.sync.bfly.b32 %0, %0, 14, 31, -1;")
PAIRS(convert, int, "r", "{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}",
      "{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}")
// There and back: 2^x and log2; 1 / sqrt(x) and its square; x a and x / a.
PAIRS(ex2, float, "f", "{ex2.approx.ftz.f32 %0, %0; lg2.approx.ftz.f32 %0, %0;}",
      "{ex2.approx.ftz.f32 %0, %0; lg2.approx.ftz.f32 %0, %0;}")
PAIRS(rsqrt, float, "f", "{rsqrt.approx.ftz.f32 %0, %0; mul.f32 %0, %0, %0;}",
      "{rsqrt.approx.ftz.f32 %0, %0; mul.f32 %0, %0, %0;}")

MICRO(fmul) {
  float x[8], a[4], b[4];
  EACH(p, 8) x[p] = start<float>(in, p);
  EACH(p, 4) a[p] = start<float>(in, p + 8), b[p] = a[p] == 0 ? 0 : 1 / a[p];
  ROUNDS {
    REPEAT(8) {
      EACH(p, 8) asm volatile("mul.f32 %0, %0, %1;" : "+f"(x[p]) : "f"(a[p % 4]));
      EACH(p, 8) asm volatile("mul.f32 %0, %0, %1;" : "+f"(x[p]) : "f"(b[p % 4]));
    }
  }
  float sum = 0;
  EACH(p, 8) sum += x[p];
  finish(out, sum);
}

MICRO(ffma_iadd) {
  float x[4], y[4], a[4], b[4];
  int s[4], t[4];
  EACH(p, 4) {
    x[p] = start<float>(in, p), y[p] = start<float>(in, p + 4), a[p] = start<float>(in, p + 8), b[p] = -a[p];
    s[p] = start<int>(in, p), t[p] = start<int>(in, p + 4);
  }
  ROUNDS {
    REPEAT(16) {
      EACH(p, 4) {
        asm volatile(FMA : "+f"(x[p]) : "f"(y[p]), "f"(a[p]));
        asm volatile("add.s32 %0, %0, %1;" : "+r"(s[p]) : "r"(t[p]));
      }
      EACH(p, 4) {
        asm volatile(FMA : "+f"(y[p]) : "f"(x[p]), "f"(b[p]));
        asm volatile("add.s32 %0, %0, %1;" : "+r"(t[p]) : "r"(s[p]));
      }
    }
  }
  float sum = 0;
  EACH(p, 4) sum += x[p] + y[p] + s[p] + t[p];
  finish(out, sum);
}

// Branches that are always taken, across loops that nobody enters: no word of `in` is 1, which the assembler cannot know.
MICRO(branch) {
  const unsigned p = in[threadIdx.x & 31] != 1, q = in[(threadIdx.x + 1) & 31] != 1;
  ROUNDS {
#define JUMP(P, N)                                                                                                        \
  "@" P " bra.uni L" N "%=;\nW" N "%=:\nld.volatile.global.u32 w, [%2];\nsetp.ne.u32 r, w, " N ";\n@r bra.uni W" N "%=;\n" \
  "L" N "%=:\n"
    asm volatile(
        "{\n.reg .pred p, q, r;\n.reg .u32 w;\nsetp.ne.u32 p, %0, 0;\nsetp.ne.u32 q, %1, 0;\n"
        JUMP("p", "1") JUMP("q", "2") JUMP("p", "3") JUMP("q", "4") JUMP("p", "5") JUMP("q", "6") JUMP("p", "7") JUMP("q", "8")
        "}" ::"r"(p), "r"(q), "l"(out));
  }
  finish(out, p + q);
}

// m16n8k16 of f16 into f32, four of each operand.
MICRO(hmma) {
  unsigned a[4][4], b[4][2];
  float c[4][4];
  EACH(k, 4) {
    EACH(i, 4) a[k][i] = start<unsigned>(in, 4 * k + i), c[k][i] = 0;
    EACH(i, 2) b[k][i] = start<unsigned>(in, 16 + 2 * k + i);
  }
  ROUNDS {
    REPEAT(16)
    EACH(k, 4)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                 : "r"(a[k][0]), "r"(a[k][1]), "r"(a[k][2]), "r"(a[k][3]), "r"(b[(k + repeat) % 4][0]), "r"(b[(k + repeat) % 4][1]));
  }
  float sum = 0;
  EACH(k, 4) EACH(i, 4) sum += c[k][i];
  finish(out, sum);
}
