// Half precision and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "silicon.cuh"

static __device__ u32 bits(__half2 h) { return *reinterpret_cast<u32*>(&h); }
static __device__ u32 bits(__nv_bfloat162 h) { return *reinterpret_cast<u32*>(&h); }

KERNEL half_scalar(const u32* in, u32* out, int n) {
  const int i = global_id();
  const __half a = __float2half(between(in[i], -20, 20)), b = __float2half(between(in[i + 1], -3, 3));
  const __half r = a * b + a / b - __hfma(a, b, a) + __habs(b);
  u32 flags = __hlt(a, b) | __hge(a, b) << 1 | __hisnan(r) << 2 | (__hneu(a, b) << 3);
  flags |= (u32)(unsigned short)__half2short_rz(a * b) << 4;
  out[2 * i] = __half_as_ushort(r) | (u32)__half_as_ushort(__hmax(a, b)) << 16;
  out[2 * i + 1] = flags + __half2int_rn(a) + (u32)__half_as_ushort(__int2half_rn((int)in[i] >> 18)) +
                   (u32)__half_as_ushort(__hadd_sat(a, b)) * 3 + (u32)__half_as_ushort(hfloor(a)) * 5;
}

KERNEL half_math(const u32* in, u32* out, int n) {
  const int i = global_id();
  const __half a = __float2half(between(in[i], 0.25f, 4));
  const __half2 s = __halves2half2(hsqrt(a), hrcp(a)), e = __halves2half2(hexp(a), hlog(a));
  out[2 * i] = bits(s);
  out[2 * i + 1] = bits(e);
}

// The _rn forms: without them the assembler may fuse a product and a sum.
KERNEL half_vector(const u32* in, u32* out, int n) {
  const int i = global_id();
  const __half2 a = __floats2half2_rn(between(in[i], -4, 4), between(in[i + 1], -4, 4));
  const __half2 b = __floats2half2_rn(between(in[i + 2], -4, 4), between(in[i + 3], -4, 4));
  __half2 r = __hfma2(a, b, a);
  r = __hadd2_rn(r, __hmul2_rn(b, b));
  r = __hsub2_rn(r, __lowhigh2highlow(a));
  r = __hmin2(r, __half2half2(__float2half(7.5f)));
  const float2 f = __half22float2(r);
  out[2 * i] = bits(r) ^ bits(__hneg2(a)) ^ bits(__hgt2(a, b));
  out[2 * i + 1] = bits(f.x * f.y);
}

#if __CUDA_ARCH__ >= 800
#define FMA2(a, b, c) __hfma2(a, b, c)
#define FMA(a, b, c) __hfma(a, b, c)
#else
#define FMA2(a, b, c) __hadd2_rn(__hmul2_rn(a, b), c)
#define FMA(a, b, c) __hadd_rn(__hmul_rn(a, b), c)
#endif
KERNEL bfloat(const u32* in, u32* out, int n) {
  const int i = global_id();
  const __nv_bfloat16 a = __float2bfloat16(between(in[i], -9, 9)), b = __float2bfloat16(between(in[i + 1], -9, 9));
  const __nv_bfloat162 c = __floats2bfloat162_rn(between(in[i + 2], -9, 9), between(in[i + 3], -9, 9));
  const __nv_bfloat162 d = __halves2bfloat162(a, b);
  const __nv_bfloat162 r = __hsub2_rn(__hadd2_rn(FMA2(c, d, c), __hmul2_rn(d, c)), d);
  const __nv_bfloat16 q = __hadd_rn(__hdiv(a, b), __hmax(a, b));
  out[2 * i] = bits(r);
  out[2 * i + 1] = __bfloat16_as_ushort(q) + (u32)__hlt(a, b) * 65536 + bits(__bfloat162float(FMA(a, b, a)));
}
