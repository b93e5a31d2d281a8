// f32 and f64 arithmetic with PTX's rounding modes, flushing and saturation. Branch-free per lane, so that loops
// over lanes vectorise. Nothing here depends on the host beyond IEEE + - * / sqrt and fma, in round to nearest.
#pragma once

#include <cmath>
#include <cstdint>

#include "exec/alu/float_format.h"

namespace heddle::exec::alu {

// ---- finishing steps -----------------------------------------------------------------------------------

inline float canonical(float x) {  // every NaN that arithmetic makes is the same
  const std::uint32_t b = bits_of(x);
  return f32_of(is_nan<F32>(b) ? static_cast<std::uint32_t>(F32::nan) : b);
}

// f64 keeps the payload of a NaN operand, made quiet; of several, the first in the order given. The order per
// instruction is what an H200 does (tests/golden).
template <class... Operands>
inline double propagate(double result, Operands... operands) {
  constexpr std::uint64_t kQuiet = std::uint64_t{1} << 51;
  std::uint64_t nan = F64::nan;
  bool found = false;
  const auto consider = [&](double x) {
    const bool take = is_nan<F64>(bits_of(x)) && !found;
    nan = take ? bits_of(x) | kQuiet : nan;
    found = found || take;
  };
  (consider(operands), ...);
  const std::uint64_t b = bits_of(result);
  return f64_of(is_nan<F64>(b) ? nan : b);
}
inline float saturate(float x) {  // to [0, 1]; NaN and -0 become +0
  x = x > 0.0f ? x : 0.0f;
  return x < 1.0f ? x : 1.0f;
}
inline double saturate(double x) {
  x = x > 0.0 ? x : 0.0;
  return x < 1.0 ? x : 1.0;
}
template <bool kFtz>
inline float flushed(float x) {
  if constexpr (kFtz) return f32_of(flush<F32>(bits_of(x)));
  return x;
}
template <bool kFtz, bool kSat>
inline float finish(float x) {
  x = flushed<kFtz>(x);
  if constexpr (kSat) return saturate(x);
  return canonical(x);
}

// With .ftz a result is flushed when it is below the normal range after rounding to 24 bits with an unbounded
// exponent, even where rounding in the denormal range would reach the smallest normal value. `scaled` is the result
// computed 2^64 times larger, away from the range's end.
template <bool kFtz>
inline float flush_tiny(float x, float scaled) {
  if constexpr (!kFtz) return x;
  const bool tiny = std::fabs(scaled) < 0x1p-62f;  // not for NaN
  const std::uint32_t b = bits_of(x);
  return flushed<true>(f32_of(tiny ? b & 0x80000000u : b));
}

// ---- directed rounding of f32 through double ---------------------------------------------------------------

inline std::uint32_t toward_larger(std::uint32_t b) { return (b >> 31) != 0 ? b - 1 : b + 1; }
inline std::uint32_t toward_smaller(std::uint32_t b) { return (b >> 31) != 0 ? b + 1 : b - 1; }

// x in f32. x is exact, or rounded to odd in double, or on the right side of every f32 value and tie.
template <Round R>
inline float narrow(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  const std::uint32_t b = bits_of(nearest);
  if constexpr (R == Round::Rz) {
    return f32_of(std::fabs(back) > std::fabs(x) ? b - 1 : b);
  } else if constexpr (R == Round::Rm) {
    return f32_of(back > x ? toward_smaller(b) : b);
  } else if constexpr (R == Round::Rp) {
    return f32_of(back < x ? toward_larger(b) : b);
  } else {
    return nearest;
  }
}

// a + b rounded to odd: whatever rounding follows is as if of the exact sum. No overflow for f32 operands.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  const std::uint64_t bits = bits_of(sum);
  const bool away = (error > 0.0) == (sum > 0.0);
  const std::uint64_t odd = away ? bits + 1 : bits - 1;
  // error is NaN where the sum is infinite or NaN: both comparisons are false and the sum stands.
  const bool inexact = error > 0.0 || error < 0.0;
  return f64_of(inexact && (bits & 1) == 0 ? odd : bits);
}

// The sign of an exact zero sum: negative only when rounding down, unless both addends are +0.
template <Round R, class T>
inline T zero_sum(T result, T a, T b) {
  if constexpr (R == Round::Rm) {
    const bool both_plus = !std::signbit(a) && !std::signbit(b);
    return result == T{0} && !both_plus ? -T{0} : result;
  }
  return result;
}

// ---- f32 ---------------------------------------------------------------------------------------------------

template <Round R, bool kFtz, bool kSat>
inline float add_f32(float a, float b) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  if constexpr (R == Round::Rn) {
    return finish<kFtz, kSat>(a + b);
  } else {
    const double sum = zero_sum<R>(add_to_odd(a, b), static_cast<double>(a), static_cast<double>(b));
    return finish<kFtz, kSat>(narrow<R>(sum));
  }
}
template <Round R, bool kFtz, bool kSat>
inline float sub_f32(float a, float b) {
  return add_f32<R, kFtz, kSat>(a, -b);
}
template <Round R, bool kFtz, bool kSat>
inline float mul_f32(float a, float b) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  if constexpr (R == Round::Rn) {
    return finish<kFtz, kSat>(flush_tiny<kFtz>(a * b, a * 0x1p64f * b));
  } else {
    const double exact = static_cast<double>(a) * static_cast<double>(b);
    return finish<kFtz, kSat>(flush_tiny<kFtz>(narrow<R>(exact), narrow<R>(exact * 0x1p64)));
  }
}
template <Round R, bool kFtz, bool kSat>
inline float fma_f32(float a, float b, float c) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  c = flushed<kFtz>(c);
  if constexpr (R == Round::Rn) {
    const float r = std::fma(a, b, c);
    if constexpr (!kFtz) return finish<false, kSat>(r);
    return finish<kFtz, kSat>(flush_tiny<kFtz>(r, std::fma(a * 0x1p64f, b, c * 0x1p64f)));
  } else {
    const double product = static_cast<double>(a) * static_cast<double>(b);  // exact
    const double sum = zero_sum<R>(add_to_odd(product, c), product, static_cast<double>(c));
    return finish<kFtz, kSat>(flush_tiny<kFtz>(narrow<R>(sum), narrow<R>(sum * 0x1p64)));
  }
}
// Quotients and roots of f32 values are never so near to an f32 value or tie that double's rounding crosses it.
template <Round R, bool kFtz>
inline float div_f32(float a, float b) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  if constexpr (R == Round::Rn && !kFtz) return finish<kFtz, false>(a / b);
  const double quotient = static_cast<double>(a) / static_cast<double>(b);
  return finish<kFtz, false>(flush_tiny<kFtz>(narrow<R>(quotient), narrow<R>(quotient * 0x1p64)));
}
template <Round R, bool kFtz>
inline float rcp_f32(float a) {
  return div_f32<R, kFtz>(1.0f, a);
}
template <Round R, bool kFtz>
inline float sqrt_f32(float a) {
  a = flushed<kFtz>(a);
  if constexpr (R == Round::Rn) return finish<kFtz, false>(std::sqrt(a));
  return finish<kFtz, false>(narrow<R>(std::sqrt(static_cast<double>(a))));
}

// ---- f64, round to nearest; the directed modes set the host's rounding mode around the same functions ----------

inline double add_f64(double a, double b) { return propagate(a + b, b, a); }
inline double sub_f64(double a, double b) { return propagate(a - b, b, a); }
inline double mul_f64(double a, double b) { return propagate(a * b, b, a); }
inline double fma_f64(double a, double b, double c) { return propagate(std::fma(a, b, c), b, c, a); }
inline double div_f64(double a, double b) { return propagate(a / b, a, b); }
inline double rcp_f64(double a) { return propagate(1.0 / a, a); }
inline double sqrt_f64(double a) { return propagate(std::sqrt(a), a); }

// ---- sign operations, minimum and maximum: on bits, for every format --------------------------------------------

// The NaN that comes of one NaN operand: f64 keeps the payload, the other formats have one NaN only.
template <class Fmt, class Bits>
inline Bits nan_of(Bits a) {
  if constexpr (Fmt::exponent_bits == F64::exponent_bits) return a | std::uint64_t{1} << 51;
  return static_cast<Bits>(Fmt::nan);
}

template <class Fmt, bool kFtz, class Bits>
inline Bits abs_bits(Bits a) {
  if constexpr (kFtz) a = flush<Fmt>(a);
  return static_cast<Bits>(is_nan<Fmt>(a) ? nan_of<Fmt>(a) : a & (Fmt::sign - 1));
}
template <class Fmt, bool kFtz, class Bits>
inline Bits neg_bits(Bits a) {
  if constexpr (kFtz) a = flush<Fmt>(a);
  return static_cast<Bits>(is_nan<Fmt>(a) ? nan_of<Fmt>(a) : a ^ Fmt::sign);
}

// Order of the values as integers: -0 before +0.
template <class Fmt, class Bits>
inline Bits order_key(Bits a) {
  return static_cast<Bits>((a & Fmt::sign) != 0 ? ~a & (Fmt::sign | (Fmt::sign - 1)) : a | Fmt::sign);
}

template <class Fmt, bool kMax, bool kFtz, bool kNan, bool kXorSign, class Bits>
inline Bits min_max_bits(Bits a, Bits b) {
  if constexpr (kFtz) {
    a = flush<Fmt>(a);
    b = flush<Fmt>(b);
  }
  const Bits sign = static_cast<Bits>((a ^ b) & Fmt::sign);
  if constexpr (kXorSign) {
    a &= static_cast<Bits>(Fmt::sign - 1);
    b &= static_cast<Bits>(Fmt::sign - 1);
  }
  const bool a_first = kMax ? order_key<Fmt>(a) > order_key<Fmt>(b) : order_key<Fmt>(a) < order_key<Fmt>(b);
  const Bits nan = nan_of<Fmt>(b);
  const bool a_nan = is_nan<Fmt>(a), b_nan = is_nan<Fmt>(b);
  Bits r = a_first ? a : b;
  if constexpr (kXorSign) r |= sign;
  if constexpr (kNan) {
    return a_nan || b_nan ? nan : r;
  }
  Bits of_a = a, of_b = b;
  if constexpr (kXorSign) {
    of_a |= sign;
    of_b |= sign;
  }
  r = a_nan ? of_b : r;
  r = b_nan ? of_a : r;
  return a_nan && b_nan ? nan : r;
}

}  // namespace heddle::exec::alu
