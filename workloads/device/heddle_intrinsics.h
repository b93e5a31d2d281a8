// Fences, bits, conversions, fast arithmetic, clocks, read-only loads, printf, assert.
#pragma once

// --- barriers of a CTA and fences; __syncthreads() itself is a clang builtin ---
HEDDLE_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
HEDDLE_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
HEDDLE_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
HEDDLE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
HEDDLE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
HEDDLE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
HEDDLE_DEVICE void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
HEDDLE_DEVICE void __trap() { asm volatile("trap;"); }

// --- bits ---
HEDDLE_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
HEDDLE_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HEDDLE_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
HEDDLE_DEVICE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
HEDDLE_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
HEDDLE_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
HEDDLE_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HEDDLE_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
HEDDLE_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned s) { return __nvvm_prmt(x, y, s); }
#define HEDDLE_FUNNEL(name, op)                                                               \
  HEDDLE_DEVICE unsigned name(unsigned low, unsigned high, unsigned shift) {                  \
    unsigned r;                                                                               \
    asm(op ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));               \
    return r;                                                                                 \
  }
HEDDLE_FUNNEL(__funnelshift_l, "shf.l.wrap")
HEDDLE_FUNNEL(__funnelshift_r, "shf.r.wrap")
HEDDLE_FUNNEL(__funnelshift_lc, "shf.l.clamp")
HEDDLE_FUNNEL(__funnelshift_rc, "shf.r.clamp")
#undef HEDDLE_FUNNEL

// --- integer arithmetic ---
HEDDLE_DEVICE int __mulhi(int x, int y) { return static_cast<int>((static_cast<long long>(x) * y) >> 32); }
HEDDLE_DEVICE unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
HEDDLE_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
HEDDLE_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __nvvm_mulhi_ull(x, y);
}
HEDDLE_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
HEDDLE_DEVICE unsigned __umul24(unsigned x, unsigned y) { return __nvvm_mul24_ui(x, y); }
HEDDLE_DEVICE unsigned __sad(int x, int y, unsigned z) {
  unsigned r;
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  return r;
}
HEDDLE_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) {
  unsigned r;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  return r;
}
HEDDLE_DEVICE int __dp4a(int a, int b, int c) {
  int r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}

// --- the same bits as another type ---
HEDDLE_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HEDDLE_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HEDDLE_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HEDDLE_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HEDDLE_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HEDDLE_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HEDDLE_DEVICE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
HEDDLE_DEVICE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
HEDDLE_DEVICE double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((static_cast<long long>(hi) << 32) | static_cast<unsigned>(lo));
}

// --- conversions with a rounding mode ---
#define HEDDLE_ROUNDINGS(From, To, name, builtin)                                  \
  HEDDLE_DEVICE To __##name##_rn(From x) { return __nvvm_##builtin##_rn(x); }      \
  HEDDLE_DEVICE To __##name##_rz(From x) { return __nvvm_##builtin##_rz(x); }      \
  HEDDLE_DEVICE To __##name##_ru(From x) { return __nvvm_##builtin##_rp(x); }      \
  HEDDLE_DEVICE To __##name##_rd(From x) { return __nvvm_##builtin##_rm(x); }
HEDDLE_ROUNDINGS(float, int, float2int, f2i)
HEDDLE_ROUNDINGS(float, unsigned, float2uint, f2ui)
HEDDLE_ROUNDINGS(float, long long, float2ll, f2ll)
HEDDLE_ROUNDINGS(float, unsigned long long, float2ull, f2ull)
HEDDLE_ROUNDINGS(int, float, int2float, i2f)
HEDDLE_ROUNDINGS(unsigned, float, uint2float, ui2f)
HEDDLE_ROUNDINGS(double, int, double2int, d2i)
HEDDLE_ROUNDINGS(double, unsigned, double2uint, d2ui)
HEDDLE_ROUNDINGS(double, long long, double2ll, d2ll)
HEDDLE_ROUNDINGS(double, float, double2float, d2f)
#undef HEDDLE_ROUNDINGS
HEDDLE_DEVICE double __int2double_rn(int x) { return x; }
HEDDLE_DEVICE double __uint2double_rn(unsigned x) { return x; }

// --- fast and directed arithmetic ---
HEDDLE_DEVICE float __fadd_rn(float x, float y) { return __nvvm_add_rn_f(x, y); }
HEDDLE_DEVICE float __fsub_rn(float x, float y) { return __nvvm_add_rn_f(x, -y); }
HEDDLE_DEVICE float __fmul_rn(float x, float y) { return __nvvm_mul_rn_f(x, y); }
HEDDLE_DEVICE float __fmul_rz(float x, float y) { return __nvvm_mul_rz_f(x, y); }
HEDDLE_DEVICE float __fmaf_rn(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
HEDDLE_DEVICE float __fdiv_rn(float x, float y) { return __nvvm_div_rn_f(x, y); }
HEDDLE_DEVICE float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
HEDDLE_DEVICE float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
HEDDLE_DEVICE float __frsqrt_rn(float x) { return __nvvm_rsqrt_approx_f(x); }
HEDDLE_DEVICE double __dadd_rn(double x, double y) { return __nvvm_add_rn_d(x, y); }
HEDDLE_DEVICE double __dmul_rn(double x, double y) { return __nvvm_mul_rn_d(x, y); }
HEDDLE_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
HEDDLE_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
HEDDLE_DEVICE float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
HEDDLE_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
HEDDLE_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192809f); }
HEDDLE_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
HEDDLE_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147181f; }
HEDDLE_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.301029996f; }
HEDDLE_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
HEDDLE_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
HEDDLE_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
HEDDLE_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
HEDDLE_DEVICE void __sincosf(float x, float* s, float* c) {
  *s = __sinf(x);
  *c = __cosf(x);
}

// --- clocks ---
HEDDLE_DEVICE long clock() { return __nvvm_read_ptx_sreg_clock(); }
HEDDLE_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
HEDDLE_DEVICE unsigned long long globaltimer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// --- loads of data that is read-only while the kernel runs ---
#define HEDDLE_LDG(T, builtin) \
  HEDDLE_DEVICE T __ldg(const T* p) { return __nvvm_ldg_##builtin(p); }
HEDDLE_LDG(char, c)
HEDDLE_LDG(unsigned char, uc)
HEDDLE_LDG(short, s)
HEDDLE_LDG(unsigned short, us)
HEDDLE_LDG(int, i)
HEDDLE_LDG(unsigned, ui)
HEDDLE_LDG(long long, ll)
HEDDLE_LDG(unsigned long long, ull)
HEDDLE_LDG(float, f)
HEDDLE_LDG(double, d)
#undef HEDDLE_LDG
HEDDLE_DEVICE signed char __ldg(const signed char* p) {
  return static_cast<signed char>(__nvvm_ldg_c(reinterpret_cast<const char*>(p)));
}
HEDDLE_DEVICE long __ldg(const long* p) { return __nvvm_ldg_l(p); }
#define HEDDLE_LDG_VECTOR(T, V, n, builtin)                                                   \
  HEDDLE_DEVICE V __ldg(const V* p) {                                                         \
    typedef T Lanes __attribute__((ext_vector_type(n)));                                      \
    return __builtin_bit_cast(V, __nvvm_ldg_##builtin(reinterpret_cast<const Lanes*>(p)));    \
  }
HEDDLE_LDG_VECTOR(int, int2, 2, i2)
HEDDLE_LDG_VECTOR(int, int4, 4, i4)
HEDDLE_LDG_VECTOR(unsigned, uint2, 2, ui2)
HEDDLE_LDG_VECTOR(unsigned, uint4, 4, ui4)
HEDDLE_LDG_VECTOR(float, float2, 2, f2)
HEDDLE_LDG_VECTOR(float, float4, 4, f4)
HEDDLE_LDG_VECTOR(double, double2, 2, d2)
#undef HEDDLE_LDG_VECTOR

// --- output and assertions; clang turns a call of printf on the device into one of vprintf ---
extern "C" __device__ int printf(const char* format, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char* message, const char* file,
                                                                  unsigned line, const char* function,
                                                                  unsigned long char_size);
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#endif
#endif
