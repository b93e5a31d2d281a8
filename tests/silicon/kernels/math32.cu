// Single precision through libdevice; compiled once as it is and once with -use_fast_math.
#include "silicon.cuh"

#define EACH(name, expression)                                   \
  KERNEL name(const u32* in, u32* out, int n) {                  \
    const int i = global_id();                                   \
    const float u = unit(in[i]), v = unit(in[i + 1]);            \
    const float x = (u - 0.5f) * 40, y = (v - 0.5f) * 10;        \
    (void)x, (void)y;                                            \
    out[i] = bits((float)(expression));                          \
  }

EACH(f_sin, sinf(i % 3 ? y : x * 1e5f))
EACH(f_cos, cosf(i % 3 ? y : x * 1e6f))
EACH(f_tan, tanf(y))
EACH(f_exp, expf(x))
EACH(f_log, logf(u * 100 + 1e-3f))
EACH(f_pow, powf(u * 10 + 1e-3f, y))
EACH(f_erf, erff(y) + erfcf(y))
EACH(f_gamma, tgammaf(y + 0.26f))
EACH(f_lgamma, lgammaf(u * 30 + 0.1f))
EACH(f_atan2, atan2f(x, y) + asinf(u) + acosf(v))
EACH(f_fmod, fmodf(x * 1000, y))
EACH(f_remainder, remainderf(x * 100, y))
EACH(f_roots, cbrtf(x) + sqrtf(u) + rsqrtf(v + 1e-3f) + hypotf(x, y))
EACH(f_hyperbolic, sinhf(y) + tanhf(x) + asinhf(x) + acoshf(1 + u))
EACH(f_round, floorf(x) + ceilf(y) * 3 + truncf(x) + rintf(y) + roundf(x * 2))
EACH(f_divide, x / (y + 11))
EACH(f_ieee, __fdiv_rn(x, y) + __fadd_rz(x, y) + __fmul_ru(x, y) + __fmaf_rd(x, y, u) + __fsqrt_rn(u) + __frcp_rn(y))
EACH(f_logs, log2f(u + 1) + log10f(v + 1) + log1pf(u) + exp2f(y) + exp10f(y) + expm1f(y))
EACH(f_fast, __sinf(y) + __cosf(y) + __expf(y) + __logf(u + 1) + __powf(u + 1, y) + __fdividef(x, y + 11))
EACH(f_misc, fminf(x, y) + fmaxf(x, u) + fabsf(y) + copysignf(u, y) + fdimf(x, y) + __saturatef(y) + norm3df(x, y, u))
EACH(f_bessel, j0f(x) + j1f(y) + normcdff(y))
EACH(f_classify, (isnan(u / 0.0f - v / 0.0f) ? 1 : 2) + (isinf(u / 0.0f) ? 4 : 8) + (signbit(x) ? 16 : 32) + ilogbf(y) + scalbnf(u, 3))
