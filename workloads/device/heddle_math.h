// Single-precision mathematics without NVIDIA's libdevice: own implementations, a few units in the last place.
// Polynomials are Chebyshev fits over the interval named beside them.
#pragma once

HEDDLE_BOTH int min(int a, int b) { return a < b ? a : b; }
HEDDLE_BOTH int max(int a, int b) { return a > b ? a : b; }
HEDDLE_BOTH unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
HEDDLE_BOTH unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
HEDDLE_BOTH unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
HEDDLE_BOTH unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
HEDDLE_BOTH unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
HEDDLE_BOTH unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
HEDDLE_BOTH long min(long a, long b) { return a < b ? a : b; }
HEDDLE_BOTH long max(long a, long b) { return a > b ? a : b; }
HEDDLE_BOTH unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
HEDDLE_BOTH unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
HEDDLE_BOTH long long min(long long a, long long b) { return a < b ? a : b; }
HEDDLE_BOTH long long max(long long a, long long b) { return a > b ? a : b; }
HEDDLE_BOTH unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
HEDDLE_BOTH unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
HEDDLE_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
HEDDLE_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
HEDDLE_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
HEDDLE_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }

HEDDLE_DEVICE int abs(int x) { return x < 0 ? -x : x; }
HEDDLE_DEVICE long labs(long x) { return x < 0 ? -x : x; }
HEDDLE_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
HEDDLE_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
HEDDLE_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
HEDDLE_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
HEDDLE_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
HEDDLE_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
HEDDLE_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HEDDLE_DEVICE float floorf(float x) { return __builtin_floorf(x); }
HEDDLE_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
HEDDLE_DEVICE float truncf(float x) { return __builtin_truncf(x); }
HEDDLE_DEVICE float rintf(float x) { return __builtin_rintf(x); }
HEDDLE_DEVICE float nearbyintf(float x) { return __builtin_rintf(x); }
HEDDLE_DEVICE float roundf(float x) { return __builtin_roundf(x); }
HEDDLE_DEVICE float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
HEDDLE_DEVICE float fdividef(float x, float y) { return x / y; }
HEDDLE_DEVICE float fdimf(float x, float y) { return x > y ? x - y : (x <= y ? 0.0f : x + y); }
HEDDLE_DEVICE float hypotf(float x, float y) {
  const float a = fmaxf(fabsf(x), fabsf(y)), b = fminf(fabsf(x), fabsf(y));
  const float q = b / a;
  return b == 0.0f || a > 3.4028235e38f ? a + b : a * sqrtf(fmaf(q, q, 1.0f));
}

// The remainder is exact: each step subtracts the divisor times a power of two that lies within a factor two.
HEDDLE_DEVICE float fmodf(float x, float y) {
  float a = fabsf(x);
  const float b = fabsf(y);
  if (!(a <= 3.4028235e38f) || !(b > 0.0f)) return (x * y) / (x * y);  // NaN
  while (a >= b) {
    float c = b;
    const int shift = static_cast<int>(__float_as_uint(a) >> 23) - static_cast<int>(__float_as_uint(b) >> 23);
    for (int left = shift - 1; left > 0; left -= 64) c *= __int_as_float((127 + min(left, 64)) << 23);
    if (shift > 0 && c + c <= a) c += c;
    a -= c;
  }
  return copysignf(a, x);
}

HEDDLE_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }

// exp(x) = 2^j * 2^(r log2 e) with |r| <= ln 2 / 2; ln 2 in two parts keeps r exact to the last place.
HEDDLE_DEVICE float expf(float x) {
  const float j = fmaxf(fminf(rintf(x * 1.44269504f), 127.0f), -252.0f);  // 2^128 is no float, e^88.7 is
  float r = fmaf(j, -0.693145751953f, x);
  r = fmaf(j, -1.42860682031e-6f, r);
  return __nvvm_ex2_approx_f(r * 1.44269504f) * __nvvm_ex2_approx_f(j);
}
HEDDLE_DEVICE float exp10f(float x) { return expf(x * 2.30258509f); }
HEDDLE_DEVICE float expm1f(float x) {
  if (fabsf(x) > 0.35f) return expf(x) - 1.0f;
  const float p = fmaf(fmaf(fmaf(fmaf(fmaf(1.98412698e-4f, x, 1.38888889e-3f), x, 8.33333333e-3f), x, 4.16666667e-2f),
                            x, 1.66666667e-1f),
                       x, 0.5f);
  return fmaf(x * x, p, x);
}

// x = 2^e m, m in [2/3, 4/3); returns log(m) = f + f^2 P(f), f = m - 1, P fitted on [-1/3, 1/3].
HEDDLE_DEVICE float heddle_log_parts(float x, float* exponent) {
  float e = 0.0f;
  if (x < 1.17549435e-38f) {
    x *= 8388608.0f;
    e = -23.0f;
  }
  const int shifted = (__float_as_int(x) - 0x3f2aaaab) & static_cast<int>(0xff800000);
  *exponent = e + static_cast<float>(shifted >> 23);
  const float f = __int_as_float(__float_as_int(x) - shifted) - 1.0f;
  float p = -0.12439087f;
  p = fmaf(p, f, 0.137666606f);
  p = fmaf(p, f, -0.122859106f);
  p = fmaf(p, f, 0.140527576f);
  p = fmaf(p, f, -0.16673446f);
  p = fmaf(p, f, 0.20007375f);
  p = fmaf(p, f, -0.249999428f);
  p = fmaf(p, f, 0.333332711f);
  p = fmaf(p, f, -0.5f);
  return fmaf(f * f, p, f);
}
// What a logarithm is outside the positive finite numbers.
HEDDLE_DEVICE float heddle_log_special(float x, float finite) {
  if (x > 0.0f) return x > 3.4028235e38f ? x : finite;
  return x == 0.0f ? -__builtin_huge_valf() : __builtin_nanf("");
}
HEDDLE_DEVICE float logf(float x) {
  float e;
  const float l = heddle_log_parts(x, &e);
  return heddle_log_special(x, fmaf(e, 0.693147181f, l));
}
HEDDLE_DEVICE float log2f(float x) {
  float e;
  const float l = heddle_log_parts(x, &e);
  return heddle_log_special(x, fmaf(l, 1.44269504f, e));
}
HEDDLE_DEVICE float log10f(float x) {
  float e;
  const float l = heddle_log_parts(x, &e);
  return heddle_log_special(x, fmaf(e, 0.301029996f, l * 0.434294482f));
}
HEDDLE_DEVICE float log1pf(float x) {
  const float u = 1.0f + x;
  return u == 1.0f ? x : (u > 3.4028235e38f || !(u > 0.0f)) ? logf(u) : logf(u) + (x - (u - 1.0f)) / u;
}

// x = k pi/2 + r for any finite |x| >= 2^15: Payne and Hanek, with the 24 bits of x and 96 bits of 2/pi.
HEDDLE_DEVICE float heddle_reduce_large(float x, int* quadrant) {
  const unsigned bits = __float_as_uint(x);
  const unsigned long long mantissa = (bits & 0x7fffffu) | 0x800000u;
  const int scale = static_cast<int>(bits >> 23 & 255) - 150;  // |x| = mantissa * 2^scale
  const unsigned two_over_pi[8] = {0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                   0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
  // The bits of 2/pi above 2^(2 - scale) yield multiples of four quadrants and are left out; what remains is
  // |x| / (2 pi) modulo 1 = mantissa * 0.abc.
  const int skip = scale + 30, word = skip >> 5, shift = skip & 31;
  unsigned a = two_over_pi[word], b = two_over_pi[word + 1], c = two_over_pi[word + 2];
  a = __funnelshift_l(b, a, shift);
  b = __funnelshift_l(c, b, shift);
  c = __funnelshift_l(two_over_pi[word + 3], c, shift);
  const unsigned long long turn = ((mantissa * a) << 32) + mantissa * b + ((mantissa * c) >> 32);
  const unsigned long long rounded = turn + (1ull << 61);  // the quadrant is in the top two bits
  const long long rest = static_cast<long long>((rounded << 2) ^ (1ull << 63));  // of a quadrant, times 2^64
  const float r = static_cast<float>(static_cast<double>(rest) * (0x1p-64 * 1.5707963267948966));
  const bool negative = bits >> 31;
  *quadrant = negative ? -static_cast<int>(rounded >> 62) : static_cast<int>(rounded >> 62);
  return negative ? -r : r;
}

HEDDLE_DEVICE float heddle_reduce(float x, int* quadrant) {
  if (!(fabsf(x) < 40000.0f)) {
    *quadrant = 0;
    if (!(fabsf(x) <= 3.4028235e38f)) return x - x;  // NaN
    return heddle_reduce_large(x, quadrant);
  }
  const float k = rintf(x * 0.636619772f);
  *quadrant = static_cast<int>(k);
  float r = fmaf(k, -1.5707962513f, x);  // pi/2 in three parts of 24 bits
  r = fmaf(k, -7.54978941586e-8f, r);
  return fmaf(k, -5.39030253e-15f, r);
}
// Sine and cosine on [-pi/4, pi/4].
HEDDLE_DEVICE float heddle_sin_core(float r) {
  const float z = r * r;
  const float p = fmaf(fmaf(-0.000195853732f, z, 0.00833273656f), z, -0.166666646f);
  return fmaf(r * z, p, r);
}
HEDDLE_DEVICE float heddle_cos_core(float r) {
  const float z = r * r;
  const float p = fmaf(fmaf(2.45454191e-5f, z, -0.00138882913f), z, 0.0416666646f);
  return fmaf(z * z, p, fmaf(z, -0.5f, 1.0f));
}
HEDDLE_DEVICE float heddle_sin_quadrant(float r, int quadrant) {
  const float v = quadrant & 1 ? heddle_cos_core(r) : heddle_sin_core(r);
  return quadrant & 2 ? -v : v;
}
HEDDLE_DEVICE float sinf(float x) {
  int q;
  const float r = heddle_reduce(x, &q);
  return heddle_sin_quadrant(r, q);
}
HEDDLE_DEVICE float cosf(float x) {
  int q;
  const float r = heddle_reduce(x, &q);
  return heddle_sin_quadrant(r, q + 1);
}
HEDDLE_DEVICE void sincosf(float x, float* s, float* c) {
  int q;
  const float r = heddle_reduce(x, &q);
  *s = heddle_sin_quadrant(r, q);
  *c = heddle_sin_quadrant(r, q + 1);
}
HEDDLE_DEVICE float tanf(float x) {
  float s, c;
  sincosf(x, &s, &c);
  return s / c;
}

HEDDLE_DEVICE float tanhf(float x) {
  const float a = fabsf(x);
  if (a >= 0.6f) return copysignf(1.0f - 2.0f / (expf(2.0f * a) + 1.0f), x);
  const float z = x * x;  // fitted on [0, 0.6]
  float p = 0.00237076564f;
  p = fmaf(p, z, -0.0084100708f);
  p = fmaf(p, z, 0.021788322f);
  p = fmaf(p, z, -0.0539615518f);
  p = fmaf(p, z, 0.133333129f);
  p = fmaf(p, z, -0.333333332f);
  return fmaf(x * z, p, x);
}
HEDDLE_DEVICE float sinhf(float x) {
  const float e = expm1f(fabsf(x));
  return copysignf(e > 1e37f ? e * 0.5f : 0.5f * (e + e / (e + 1.0f)), x);
}
HEDDLE_DEVICE float coshf(float x) {
  const float e = expf(fabsf(x));
  return 0.5f * e + 0.5f / e;
}

HEDDLE_DEVICE float heddle_atan_core(float x) {  // fitted on [0, 1]
  const float z = x * x;
  float p = -0.00238699732f;
  p = fmaf(p, z, 0.0135077714f);
  p = fmaf(p, z, -0.035871539f);
  p = fmaf(p, z, 0.0625016944f);
  p = fmaf(p, z, -0.0865688043f);
  p = fmaf(p, z, 0.110337641f);
  p = fmaf(p, z, -0.142785687f);
  p = fmaf(p, z, 0.199997393f);
  p = fmaf(p, z, -0.333333317f);
  return fmaf(x * z, p, x);
}
HEDDLE_DEVICE float atanf(float x) {
  const float a = fabsf(x);
  const float t = heddle_atan_core(a > 1.0f ? 1.0f / a : a);
  return copysignf(a > 1.0f ? 1.57079633f - t : t, x);
}
HEDDLE_DEVICE float atan2f(float y, float x) {
  const float ay = fabsf(y), ax = fabsf(x);
  const float high = fmaxf(ax, ay), low = fminf(ax, ay);
  const bool infinite = low > 3.4028235e38f;
  float t = heddle_atan_core(high == 0.0f ? 0.0f : infinite ? 1.0f : low / high);
  if (ay > ax) t = 1.57079633f - t;
  if (__float_as_int(x) < 0) t = 3.14159265f - t;
  return x != x || y != y ? x + y : copysignf(t, y);
}
HEDDLE_DEVICE float asinf(float x) { return atan2f(x, sqrtf((1.0f - x) * (1.0f + x))); }
HEDDLE_DEVICE float acosf(float x) { return atan2f(sqrtf((1.0f - x) * (1.0f + x)), x); }

HEDDLE_DEVICE float erff(float x) {
  const float a = fabsf(x);
  if (a < 1.0f) {
    const float z = x * x;
    float p = 7.87587506e-5f;
    p = fmaf(p, z, -0.000801686429f);
    p = fmaf(p, z, 0.00518908742f);
    p = fmaf(p, z, -0.026854212f);
    p = fmaf(p, z, 0.112835947f);
    p = fmaf(p, z, -0.376126267f);
    p = fmaf(p, z, 0.128379166f);
    return fmaf(x, p, x);
  }
  const float t = fminf(a, 4.0f);  // log(erfc) fitted on [1, 4]; erf(4) is 1 in a float
  float p = 1.63715141e-6f;
  p = fmaf(p, t, -4.60580427e-5f);
  p = fmaf(p, t, 0.000596805626f);
  p = fmaf(p, t, -0.00475959629f);
  p = fmaf(p, t, 0.026421136f);
  p = fmaf(p, t, -0.110080083f);
  p = fmaf(p, t, -0.631826052f);
  p = fmaf(p, t, -1.13023343f);
  p = fmaf(p, t, 0.00032013805f);
  return x != x ? x : copysignf(1.0f - expf(p), x);
}
HEDDLE_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
HEDDLE_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
HEDDLE_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
