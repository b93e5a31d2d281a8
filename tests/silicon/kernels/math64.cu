// Double precision through libdevice.
#include "silicon.cuh"

#define EACH(name, expression)                                        \
  KERNEL name(const u32* in, u32* out, int n) {                       \
    const int i = global_id();                                        \
    const double u = unit64(in[2 * i], in[2 * i + 1]);                \
    const double v = unit64(in[2 * i + 1], in[2 * i]);                \
    const double x = (u - 0.5) * 40, y = (v - 0.5) * 10;              \
    (void)x, (void)y;                                                 \
    put64(out, i, bits((double)(expression)));                        \
  }

EACH(d_sin, sin(i % 3 ? x : x * 1e5))
EACH(d_cos, cos(i % 3 ? x : x * 1e9))
EACH(d_tan, tan(x))
EACH(d_exp, exp(x))
EACH(d_log, log(u * 100 + 1e-300))
EACH(d_pow, pow(u * 10, y))
EACH(d_erf, erf(y) + erfc(x))
EACH(d_gamma, tgamma(y + 0.25) + lgamma(u * 30 + 0.1))
EACH(d_atan2, atan2(x, y) + asin(u) + acos(v) + atan(x))
EACH(d_fmod, fmod(x * 1000, y) + remainder(x * 100, y))
EACH(d_roots, cbrt(x) + sqrt(u) + rsqrt(v + 1e-3) + hypot(x, y))
EACH(d_hyperbolic, sinh(y) + cosh(y) + tanh(x) + asinh(x) + acosh(1 + u) + atanh(v))
EACH(d_round, floor(x) + ceil(y) * 3 + trunc(x) + rint(y) + round(x * 2) + nearbyint(y))
EACH(d_divide, x / y + 1 / (u + 3) + fma(x, y, u) + fdim(x, y) + copysign(x, y))
EACH(d_bessel, j0(x) + y1(u + 0.5) + normcdf(y) + exp2(y) + exp10(y) + log1p(u) + expm1(y) + log2(u + 1))
EACH(d_parts, frexp(x, (int*)(out + 2 * n + i)) + ldexp(y, i % 40 - 20) + logb(x) + nextafter(x, y) + fmax(x, y))
EACH(d_convert, (double)(long long)(x * 1e15) + (double)(float)y + (double)(int)x + (double)(u64)(u * 1e19) + __dadd_rz(x, y) + __dmul_ru(x, y) + __ddiv_rd(x, y))

KERNEL d_sincos(const u32* in, u32* out, int n) {
  const int i = global_id();
  double s, c;
  sincos(unit64(in[2 * i], in[2 * i + 1]) * 1000, &s, &c);
  put64(out, 2 * i, bits(s));
  put64(out, 2 * i + 1, bits(c + sinpi(s)));
}
