// Double-precision mathematics, powf, and CUDA's overloads of the double names for float.
#pragma once

HEDDLE_DEVICE double fabs(double x) { return __builtin_fabs(x); }
HEDDLE_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
HEDDLE_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
HEDDLE_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
HEDDLE_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
HEDDLE_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
HEDDLE_DEVICE double floor(double x) { return __builtin_floor(x); }
HEDDLE_DEVICE double ceil(double x) { return __builtin_ceil(x); }
HEDDLE_DEVICE double trunc(double x) { return __builtin_trunc(x); }
HEDDLE_DEVICE double rint(double x) { return __builtin_rint(x); }
HEDDLE_DEVICE double round(double x) { return __builtin_round(x); }
HEDDLE_DEVICE double copysign(double x, double y) { return __builtin_copysign(x, y); }
HEDDLE_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
HEDDLE_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
HEDDLE_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }

HEDDLE_DEVICE double heddle_two_to(int n) {  // -1022 <= n <= 1023
  return __longlong_as_double(static_cast<long long>(n + 1023) << 52);
}

// exp(x) = 2^j exp(r), |r| <= ln 2 / 2. The power goes in as two factors, because 2^1024 and 2^-1074 are no
// normal numbers while their products with exp(r) may be representable.
HEDDLE_DEVICE double exp(double x) {
  const double j = fmax(fmin(rint(x * 1.4426950408889634074), 1100.0), -1150.0);
  double r = fma(j, -0.69314718036912381649, x);
  r = fma(j, -1.9082149292705878161e-10, r);
  r = fmax(fmin(r, 1000.0), -1000.0);  // x infinite: the power decides
  double p = 2.09146793765839351e-9;
  p = fma(p, r, 2.510520637395701112e-8);
  p = fma(p, r, 2.755727366134863622e-7);
  p = fma(p, r, 2.755725542574643428e-6);
  p = fma(p, r, 2.480158732553336382e-5);
  p = fma(p, r, 1.984126987480049198e-4);
  p = fma(p, r, 1.388888888888375242e-3);
  p = fma(p, r, 8.333333333326140884e-3);
  p = fma(p, r, 4.166666666666666975e-2);
  p = fma(p, r, 1.666666666666667099e-1);
  p = fma(p, r, 0.5);
  p = fma(r * r, p, r) + 1.0;
  if (x != x) return x;
  if (x > 709.79) return __builtin_huge_val();
  if (x < -745.14) return 0.0;
  const int half = static_cast<int>(j) / 2;
  return p * heddle_two_to(half) * heddle_two_to(static_cast<int>(j) - half);
}

// x = 2^e m, m in [1/sqrt 2, sqrt 2); log(m) = 2 atanh(s), s = (m - 1) / (m + 1).
HEDDLE_DEVICE double log(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -__builtin_huge_val() : __builtin_nan("");
  if (x > 1.7976931348623157e308) return x;
  double e = 0.0;
  if (x < 2.2250738585072014e-308) {
    x *= 0x1p54;
    e = -54.0;
  }
  const long long shifted = (__double_as_longlong(x) - 0x3fe6a09e667f3bcdll) & static_cast<long long>(0xfffull << 52);
  e += static_cast<double>(shifted >> 52);
  const double f = __longlong_as_double(__double_as_longlong(x) - shifted) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 0.06547208333262672008;
  p = fma(p, z, 0.06634013070214369649);
  p = fma(p, z, 0.07693133836441112516);
  p = fma(p, z, 0.09090897562238376754);
  p = fma(p, z, 0.111111111982764904);
  p = fma(p, z, 0.1428571428539110386);
  p = fma(p, z, 0.2000000000000045602);
  p = fma(p, z, 0.3333333333333333323);
  // 2 s = f - s f exactly, so the large part f is not rounded.
  const double tail = fma(2.0 * z * s, p, e * 1.9082149292705878161e-10) - s * f;
  return fma(e, 0.69314718036912381649, f) + tail;
}
HEDDLE_DEVICE double log2(double x) { return log(x) * 1.4426950408889634074; }
HEDDLE_DEVICE double log10(double x) { return log(x) * 0.43429448190325182765; }
HEDDLE_DEVICE double exp2(double x) { return exp(x * 0.69314718055994530942); }

// |base|^y for base > 0, with the sign and the special values of C's pow around it.
// Whole |y| <= 64 by squaring; otherwise exp(y log x), whose error grows with |y log x| (100 gives about 50 ulp
// of a double, which is far below one of a float).
HEDDLE_DEVICE double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  const bool whole = y == trunc(y);
  const bool odd = whole && fabs(y) < 0x1p53 && (static_cast<long long>(y) & 1);
  const double a = fabs(x);
  if (a == 1.0 && fabs(y) > 1.7976931348623157e308) return 1.0;
  if (x < 0.0 && !whole) return a > 1.7976931348623157e308 ? (y > 0.0 ? a : 0.0) : __builtin_nan("");
  double r;
  if (whole && fabs(y) <= 64.0) {
    r = 1.0;
    double power = a;
    for (int n = static_cast<int>(fabs(y)); n != 0; n >>= 1) {
      if (n & 1) r *= power;
      power *= power;
    }
    if (y < 0.0) r = 1.0 / r;
  } else {
    r = exp(y * log(a));
  }
  return odd ? copysign(r, x) : r;
}
// By way of doubles: a float logarithm would lose y's size in bits.
HEDDLE_DEVICE float powf(float x, float y) { return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(y))); }

// pi/2 in three parts; good to the last places for |x| < 2^30, beyond which the reduction loses bits.
HEDDLE_DEVICE double heddle_sin_quadrant(double x, int shift) {
  const double k = rint(x * 0.63661977236758134308);
  double r = fma(k, -1.570796326794896558, x);
  r = fma(k, -6.1232339957367648033e-17, r);
  r = fma(k, -1.0828566739219138942e-32, r);
  const double z = r * r;
  const int quadrant = static_cast<int>(static_cast<long long>(k) + shift);
  double v;
  if (quadrant & 1) {
    double p = -1.138175465366293676e-11;
    p = fma(p, z, 2.087613402409014623e-9);
    p = fma(p, z, -2.755731721268659012e-7);
    p = fma(p, z, 2.480158729865129157e-5);
    p = fma(p, z, -1.388888888888732124e-3);
    p = fma(p, z, 4.166666666666666531e-2);
    v = fma(z * z, p, fma(z, -0.5, 1.0));
  } else {
    double p = 1.591672619388933742e-10;
    p = fma(p, z, -2.505111227257324366e-8);
    p = fma(p, z, 2.755731600817155107e-6);
    p = fma(p, z, -1.984126983657570903e-4);
    p = fma(p, z, 8.333333333330827004e-3);
    p = fma(p, z, -0.166666666666666645);
    v = fma(r * z, p, r);
  }
  return quadrant & 2 ? -v : v;
}
HEDDLE_DEVICE double sin(double x) { return heddle_sin_quadrant(x, 0); }
HEDDLE_DEVICE double cos(double x) { return heddle_sin_quadrant(x, 1); }
HEDDLE_DEVICE double tan(double x) { return sin(x) / cos(x); }

// CUDA lets the double names take floats.
#define HEDDLE_FOR_FLOAT(name) \
  HEDDLE_DEVICE float name(float x) { return name##f(x); }
HEDDLE_FOR_FLOAT(fabs)
HEDDLE_FOR_FLOAT(sqrt)
HEDDLE_FOR_FLOAT(rsqrt)
HEDDLE_FOR_FLOAT(floor)
HEDDLE_FOR_FLOAT(ceil)
HEDDLE_FOR_FLOAT(trunc)
HEDDLE_FOR_FLOAT(rint)
HEDDLE_FOR_FLOAT(round)
HEDDLE_FOR_FLOAT(exp)
HEDDLE_FOR_FLOAT(exp2)
HEDDLE_FOR_FLOAT(log)
HEDDLE_FOR_FLOAT(log2)
HEDDLE_FOR_FLOAT(log10)
HEDDLE_FOR_FLOAT(sin)
HEDDLE_FOR_FLOAT(cos)
HEDDLE_FOR_FLOAT(tan)
HEDDLE_FOR_FLOAT(tanh)
HEDDLE_FOR_FLOAT(atan)
HEDDLE_FOR_FLOAT(erf)
#undef HEDDLE_FOR_FLOAT
HEDDLE_DEVICE float fmin(float a, float b) { return fminf(a, b); }
HEDDLE_DEVICE float fmax(float a, float b) { return fmaxf(a, b); }
HEDDLE_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
HEDDLE_DEVICE float pow(float x, float y) { return powf(x, y); }
HEDDLE_DEVICE float abs(float x) { return fabsf(x); }
HEDDLE_DEVICE double abs(double x) { return fabs(x); }
