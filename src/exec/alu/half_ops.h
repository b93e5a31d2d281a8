// f16 and bf16 arithmetic, alone and in pairs. Values are 16 bits in the low half of a lane. Operands widen
// to f32. Rounding a sum twice, to f32's 24 bits and then to 11 (or 8), gives what one rounding gives, since
// 24 >= 2 * 11 + 2; products are exact in f32 wherever a 16-bit result can tell. Only fma needs its sum
// rounded to odd.
#pragma once

#include <cmath>
#include <cstdint>

#include "exec/alu/float_ops.h"

namespace heddle::exec::alu {

// ---- f16 <-> f32
// -------------------------------------------------------------------------------------------

// Every f16 value is an f32 value: scaling by 2^112 moves the exponent and makes denormals normal.
inline float widen_f16(std::uint32_t h) {
  const std::uint32_t magnitude = (h & 0x7fffu) << 13;
  const float scaled = f32_of(magnitude) * 0x1p112f;
  const std::uint32_t special = (h & 0x7fffu) << 13 | 0x7f800000u;
  const std::uint32_t b = (h & 0x7c00u) == 0x7c00u ? special : bits_of(scaled);
  return f32_of(b | (h & 0x8000u) << 16);
}

// Round to nearest even. NaN becomes the canonical one.
inline std::uint32_t narrow_f16(float x) {
  const std::uint32_t sign = bits_of(x) >> 16 & 0x8000u;
  const std::uint32_t m = bits_of(x) & 0x7fffffffu;
  // Normal: round at bit 13, then move the exponent; a carry into the exponent field is right, up to
  // infinity.
  const std::uint32_t normal = (m + 0xfffu + (m >> 13 & 1u) - (112u << 23)) >> 13;
  // Denormal: adding 1/2 aligns the value with f16's smallest unit, 2^-24; the adder does the rounding.
  const std::uint32_t denormal = bits_of(f32_of(m) + 0.5f) - bits_of(0.5f);
  std::uint32_t r = m < 0x38800000u ? denormal : normal;
  r = m >= 0x477ff000u ? 0x7c00u : r;
  r |= sign;
  return m > 0x7f800000u ? 0x7fffu : r;
}

inline float widen_bf16(std::uint32_t h) {
  return f32_of(h << 16);
}
inline std::uint32_t narrow_bf16(float x) {
  const std::uint32_t b = bits_of(x);
  const std::uint32_t r = (b + 0x7fffu + (b >> 16 & 1u)) >> 16;
  return (b & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : r;
}

// x (exact or rounded to odd) as f32 rounded to odd, so that a last rounding to 16 bits is as if from x.
inline float odd_f32(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  const std::uint32_t b = bits_of(nearest);
  const std::uint32_t truncated = std::fabs(back) > std::fabs(x) ? b - 1 : b;
  const bool inexact = back < x || back > x;
  return f32_of(inexact ? truncated | 1u : b);
}

struct Half {  // the operations' view of f16
  using Fmt = F16;
  static float widen(std::uint32_t h) { return widen_f16(h & 0xffffu); }
  static std::uint32_t narrow(float x) { return narrow_f16(x); }
  // a * b + c, fit for one more rounding. The product is exact.
  static float fma(float a, float b, float c) { return add_to_odd(a * b, c); }
};
struct Bhalf {
  using Fmt = BF16;
  static float widen(std::uint32_t h) { return widen_bf16(h & 0xffffu); }
  static std::uint32_t narrow(float x) { return narrow_bf16(x); }
  static float fma(float a, float b, float c) {  // the product may leave f32's range
    return odd_f32(add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
  }
};

enum class Post : std::uint8_t { None, Sat, Relu };

template <class H, bool kFtz, Post P>
inline std::uint32_t finish_half(float x) {
  std::uint32_t r = H::narrow(x);
  if constexpr (kFtz) {  // as flush_tiny does for f32, 2^8 times larger
    const bool tiny =
        (H::narrow(x * 0x1p8f) & 0x7fffu) < H::Fmt::min_normal + (std::uint32_t{8} << H::Fmt::fraction_bits);
    r = flush<typename H::Fmt>(tiny ? r & 0x8000u : r);
  }
  if constexpr (P == Post::Sat) {
    const bool positive = r < 0x8000u && !is_nan<typename H::Fmt>(r);
    const std::uint32_t one = static_cast<std::uint32_t>(H::Fmt::one);
    r = positive ? (r > one ? one : r) : 0u;
  }
  if constexpr (P == Post::Relu) r = r >= 0x8000u ? 0u : r;  // NaN is positive and stays
  return r;
}
template <class H, bool kFtz>
inline float operand_half(std::uint32_t h) {
  h &= 0xffffu;
  if constexpr (kFtz) h = flush<typename H::Fmt>(h);
  return H::widen(h);
}

template <class H, bool kFtz, Post P>
inline std::uint32_t add_half(std::uint32_t a, std::uint32_t b) {
  return finish_half<H, kFtz, P>(operand_half<H, kFtz>(a) + operand_half<H, kFtz>(b));
}
template <class H, bool kFtz, Post P>
inline std::uint32_t sub_half(std::uint32_t a, std::uint32_t b) {
  return finish_half<H, kFtz, P>(operand_half<H, kFtz>(a) - operand_half<H, kFtz>(b));
}
template <class H, bool kFtz, Post P>
inline std::uint32_t mul_half(std::uint32_t a, std::uint32_t b) {
  return finish_half<H, kFtz, P>(operand_half<H, kFtz>(a) * operand_half<H, kFtz>(b));
}
template <class H, bool kFtz, Post P>
inline std::uint32_t fma_half(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return finish_half<H, kFtz, P>(
      H::fma(operand_half<H, kFtz>(a), operand_half<H, kFtz>(b), operand_half<H, kFtz>(c)));
}

// ---- sign, minimum, maximum
// ------------------------------------------------------------------------------------

template <class H, bool kFtz>
inline std::uint32_t abs_half(std::uint32_t a) {
  return abs_bits<typename H::Fmt, kFtz, std::uint32_t>(a & 0xffffu);
}
template <class H, bool kFtz>
inline std::uint32_t neg_half(std::uint32_t a) {
  return neg_bits<typename H::Fmt, kFtz, std::uint32_t>(a & 0xffffu);
}
template <class H, bool kMax, bool kFtz, bool kNan, bool kXorSign>
inline std::uint32_t min_max_half(std::uint32_t a, std::uint32_t b) {
  return min_max_bits<typename H::Fmt, kMax, kFtz, kNan, kXorSign, std::uint32_t>(a & 0xffffu, b & 0xffffu);
}

// ---- pairs: the same function on both halves of the lane
// -------------------------------------------------------

template <auto F>
inline std::uint32_t pair1(std::uint32_t a) {
  return F(a & 0xffffu) | F(a >> 16) << 16;
}
template <auto F>
inline std::uint32_t pair2(std::uint32_t a, std::uint32_t b) {
  return F(a & 0xffffu, b & 0xffffu) | F(a >> 16, b >> 16) << 16;
}
template <auto F>
inline std::uint32_t pair3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return F(a & 0xffffu, b & 0xffffu, c & 0xffffu) | F(a >> 16, b >> 16, c >> 16) << 16;
}

}  // namespace heddle::exec::alu
