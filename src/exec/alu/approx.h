// The approximate instructions: own polynomials in double, one rounding at the end. Results are more accurate
// than the manual's bounds ask for and depend on nothing but IEEE arithmetic. Special values follow silicon.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "exec/alu/half_ops.h"

namespace heddle::exec::alu {

// Adding this to a double of moderate size leaves the nearest integer in the low bits of the significand:
// rounding and conversion in one addition, in every vector instruction set.
inline constexpr double kToInteger = 0x1.8p52;

// 2^x for |x| in double's exponent range; relative error below 2^-31.
inline double exp2_double(double x) {
  const double shifted = x + kToInteger;
  const double f = x - (shifted - kToInteger);
  // ln(2)^k / k!
  double p = 0x1.62c0223a5c822p-20;
  p = std::fma(p, f, 0x1.ffcbfc588b0c5p-17);
  p = std::fma(p, f, 0x1.430912f86c786p-13);
  p = std::fma(p, f, 0x1.5d87fe78a6730p-10);
  p = std::fma(p, f, 0x1.3b2ab6fba4e77p-7);
  p = std::fma(p, f, 0x1.c6b08d704a0bfp-5);
  p = std::fma(p, f, 0x1.ebfbdff82c58ep-3);
  p = std::fma(p, f, 0x1.62e42fefa39efp-1);
  p = std::fma(p, f, 1.0);
  return p * f64_of((bits_of(shifted) << 52) + F64::one);
}

inline float nan_unless(bool good, float r) {
  return f32_of(good ? bits_of(r) : static_cast<std::uint32_t>(F32::nan));
}

template <bool kFtz>
inline float ex2_f32(float x) {
  const std::uint32_t b = bits_of(flushed<kFtz>(x));
  const std::uint32_t magnitude = std::min(b & 0x7fffffffu, bits_of(200.0f));  // NaN too
  const float capped = f32_of(magnitude | (b & 0x80000000u));
  const float r = static_cast<float>(exp2_double(static_cast<double>(capped)));
  return nan_unless(!is_nan<F32>(bits_of(x)), flushed<kFtz>(r));
}

template <bool kFtz>
inline float lg2_f32(float x) {
  x = flushed<kFtz>(x);
  const std::uint64_t b = bits_of(static_cast<double>(x));
  // m in [sqrt(1/2), sqrt(2)), x = m * 2^e
  const std::uint64_t above = b + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  const double e = f64_of((above >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
  const double m = f64_of((above & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
  const double z = (m - 1.0) / (m + 1.0), z2 = z * z;
  // 2 / ln(2) * atanh(z)
  double p = 1.0 / 13.0;
  p = std::fma(p, z2, 1.0 / 11.0);
  p = std::fma(p, z2, 1.0 / 9.0);
  p = std::fma(p, z2, 1.0 / 7.0);
  p = std::fma(p, z2, 1.0 / 5.0);
  p = std::fma(p, z2, 1.0 / 3.0);
  p = std::fma(p, z2, 1.0);
  const float r = static_cast<float>(e + p * z * 0x1.71547652b82fep+1);
  std::uint32_t out = bits_of(r);
  const std::uint32_t in = bits_of(x);
  out = in == 0x7f800000u ? in : out;
  out = in > 0x7f800000u ? static_cast<std::uint32_t>(F32::nan) : out;  // NaN and everything negative
  out = (in & 0x7fffffffu) == 0 ? 0xff800000u : out;
  return f32_of(out);
}

// Sine and cosine of 2*pi*t. The hardware first multiplies by 1/(2*pi) in f32, towards zero, which decides
// what large arguments give; so does this.
template <bool kCos>
inline float sin_cos_f32(float x) {
  const std::uint32_t in = bits_of(x);
  const double product = static_cast<double>(flushed<true>(x)) * 0x1.45f306p-3;
  // Towards zero to f32: cut the significand to 24 bits; below f32's normal range nothing is left.
  const std::uint64_t cut = bits_of(product) & ~std::uint64_t{0x1fffffff};
  const std::uint64_t magnitude = cut & (F64::sign - 1);
  // From 2^23 on t is an integer: whole turns.
  const bool useful = magnitude >= 0x3810000000000000 && magnitude < 0x4160000000000000;
  const double turn = f64_of(useful ? cut : 0);
  const double u = turn - ((turn + kToInteger) - kToInteger);
  const double quarters = 4.0 * u + kToInteger;
  const double w = (u - 0.25 * (quarters - kToInteger)) * 0x1.921fb54442d18p+2, w2 = w * w;
  double s = 0x1.71de3a556c734p-19;  // 1/9!
  s = std::fma(s, w2, -0x1.a01a01a01a01ap-13);
  s = std::fma(s, w2, 0x1.1111111111111p-7);
  s = std::fma(s, w2, -0x1.5555555555555p-3);
  s = std::fma(s * w2, w, w);
  double c = 0x1.a01a01a01a01ap-16;  // 1/8!
  c = std::fma(c, w2, -0x1.6c16c16c16c17p-10);
  c = std::fma(c, w2, 0x1.5555555555555p-5);
  c = std::fma(c, w2, -0.5);
  c = std::fma(c, w2, 1.0);
  const std::uint64_t quadrant = bits_of(quarters) + (kCos ? 1 : 0);
  const std::uint64_t cosine = std::uint64_t{0} - (quadrant & 1);
  const std::uint64_t half_turn = (quadrant & 2) << 62;
  const std::uint64_t r = ((bits_of(c) & cosine) | (bits_of(s) & ~cosine)) ^ half_turn;
  const std::uint32_t out = bits_of(static_cast<float>(f64_of(r)));
  // A zero sine has the argument's sign, the other one after half a turn; a zero cosine is positive.
  const std::uint32_t zero = kCos ? 0u : (in ^ static_cast<std::uint32_t>(half_turn >> 32)) & 0x80000000u;
  return nan_unless((in & 0x7fffffffu) < 0x7f800000u, f32_of((out & 0x7fffffffu) == 0 ? zero : out));
}

inline float tanh_f32(float x) {
  const std::uint32_t in = bits_of(x);
  const float capped = f32_of(std::min(in & 0x7fffffffu, bits_of(20.0f)));
  const double a = static_cast<double>(capped);
  const double t = exp2_double(a * -0x1.71547652b82fep+1);  // e^(-2a)
  const float large = static_cast<float>((1.0 - t) / (1.0 + t));
  const float small = static_cast<float>(a - a * a * a * (1.0 / 3.0));
  const std::uint32_t r = (in & 0x7fffffffu) < bits_of(0x1p-9f) ? bits_of(small) : bits_of(large);
  return nan_unless(!is_nan<F32>(in), f32_of(r | (in & 0x80000000u)));
}

// a * (1 / b), where the reciprocal of the largest values is flushed to zero (and infinity times it is NaN).
template <bool kFtz>
inline float div_approx_f32(float a, float b) {
  const float quotient = div_f32<Round::Rn, kFtz>(a, b);
  const float by_zero = canonical(flushed<kFtz>(a) * std::copysign(0.0f, b));
  const std::uint32_t m = bits_of(b) & 0x7fffffffu;
  return m > 0x7e800000u && m < 0x7f800000u ? by_zero : quotient;
}

template <bool kFtz>
inline float rcp_approx_f32(float x) {
  return rcp_f32<Round::Rn, kFtz>(x);
}
template <bool kFtz>
inline float sqrt_approx_f32(float x) {
  return sqrt_f32<Round::Rn, kFtz>(x);
}
template <bool kFtz>
inline float rsqrt_approx_f32(float x) {
  x = flushed<kFtz>(x);
  return canonical(static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))));
}

// The f64 seeds work on the upper 32 bits of the operand and give the upper 32 bits of the result.
inline std::uint64_t upper(std::uint64_t b) {
  return b & 0xffffffff00000000;
}
inline double seed_of(double x) {
  return f64_of(flush<F64>(upper(bits_of(x))));
}
inline double seed_result(double r) {
  const std::uint64_t b = bits_of(r);
  const std::uint64_t rounded = upper(b + 0x7fffffff + (b >> 32 & 1));
  return f64_of(is_nan<F64>(b) ? 0x7fffffff00000000 : flush<F64>(rounded));
}
inline double rcp_approx_f64(double x) {
  return seed_result(1.0 / seed_of(x));
}
inline double rsqrt_approx_ftz_f64(double x) {
  return seed_result(1.0 / std::sqrt(seed_of(x)));
}
inline double rsqrt_approx_f64(double x) {
  return propagate(1.0 / std::sqrt(x), x);
}

template <class H, bool kFtz>
inline std::uint32_t ex2_half(std::uint32_t a) {
  a &= 0xffffu;
  if constexpr (kFtz) a = flush<typename H::Fmt>(a);
  const std::uint32_t r = H::narrow(ex2_f32<false>(H::widen(a)));
  return kFtz ? flush<typename H::Fmt>(r) : r;
}
template <class H>
inline std::uint32_t tanh_half(std::uint32_t a) {
  return H::narrow(tanh_f32(H::widen(a)));
}

}  // namespace heddle::exec::alu
