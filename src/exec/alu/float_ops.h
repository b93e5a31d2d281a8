// f32 and f64 arithmetic with PTX's rounding modes, flushing and saturation. Branch-free per lane, so that
// loops over lanes vectorise. Nothing here depends on the host beyond IEEE + - * / sqrt and fma, in round to
// nearest.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

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
// To [0, 1]; NaN and -0 become +0. On bits, since compilers make min and max instructions of comparisons, and
// those treat signalling NaNs differently.
inline float saturate(float x) {
  const std::uint32_t b = bits_of(x);
  const std::uint32_t capped = b < F32::one ? b : static_cast<std::uint32_t>(F32::one);
  return f32_of(b > F32::inf ? 0u : capped);
}
template <bool kFtz>
inline float flushed(float x) {
  if constexpr (kFtz) return f32_of(flush<F32>(bits_of(x)));
  return x;
}
template <bool kSat>
inline float finish(float x) {
  if constexpr (kSat) return saturate(x);
  return canonical(x);
}

// With .ftz a result is flushed when it is below the normal range after rounding to 24 bits with an unbounded
// exponent, even where rounding in the denormal range would reach the smallest normal value. `scaled` is the
// result computed 2^64 times larger, away from the range's lower end (where it leaves the upper end it means
// nothing, but then x is not small).
inline float flush_tiny(float x, float scaled) {
  constexpr std::uint32_t kLimit = 65u << 23;  // 2^-62
  const std::uint32_t b = bits_of(x);
  const bool tiny = (bits_of(scaled) & 0x7fffffffu) < kLimit && (b & 0x7fffffffu) <= F32::min_normal;
  return f32_of(tiny ? b & 0x80000000u : b);
}

// ---- directed rounding of f32 through double
// ---------------------------------------------------------------

inline std::uint32_t toward_larger(std::uint32_t b) {
  return (b >> 31) != 0 ? b - 1 : b + 1;
}
inline std::uint32_t toward_smaller(std::uint32_t b) {
  return (b >> 31) != 0 ? b + 1 : b - 1;
}

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

// a + b rounded to odd: whatever rounding follows is as if of the exact sum. The sum must not overflow.
template <class T>
inline T add_to_odd(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  using Fmt = std::conditional_t<sizeof(T) == 8, F64, F32>;
  const T sum = a + b;
  const T b_part = sum - a;
  const T error = (a - (sum - b_part)) + (b - b_part);
  const Bits s = std::bit_cast<Bits>(sum), e = std::bit_cast<Bits>(error);
  const Bits odd = ((s ^ e) & Fmt::sign) == 0 ? s + 1 : s - 1;
  // Infinite and NaN sums stand; their error is NaN.
  const bool inexact = (e & (Fmt::sign - 1)) != 0 && (e & Fmt::inf) != Fmt::inf;
  return std::bit_cast<T>(inexact && (s & 1) == 0 ? odd : s);
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

// ---- f32
// ---------------------------------------------------------------------------------------------------
//
// The directed modes are exact for any host; handlers use the faster host modes (host_rounding.h) around the
// Rn versions, and the tests compare the two.

template <Round R, bool kFtz, bool kSat>
inline float add_f32(float a, float b) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  if constexpr (R == Round::Rn) {
    return finish<kSat>(flushed<kFtz>(a + b));  // denormal sums are exact
  } else {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return finish<kSat>(flushed<kFtz>(narrow<R>(zero_sum<R>(add_to_odd(x, y), x, y))));
  }
}
template <Round R, bool kFtz, bool kSat>
inline float sub_f32(float a, float b) {
  return add_f32<R, kFtz, kSat>(a, -b);
}
// x and 2^64 * x in f32, flushed where .ftz says so.
template <Round R, bool kFtz>
inline float narrow_flushing(double x) {
  if constexpr (!kFtz) return narrow<R>(x);
  return flush_tiny(narrow<R>(x), narrow<R>(x * 0x1p64));
}
template <Round R, bool kFtz, bool kSat>
inline float mul_f32(float a, float b) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  if constexpr (R != Round::Rn) {
    return finish<kSat>(narrow_flushing<R, kFtz>(static_cast<double>(a) * static_cast<double>(b)));
  } else if constexpr (kFtz) {
    return finish<kSat>(flush_tiny(a * b, a * 0x1p64f * b));
  } else {
    return finish<kSat>(a * b);
  }
}
template <Round R, bool kFtz, bool kSat>
inline float fma_f32(float a, float b, float c) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  c = flushed<kFtz>(c);
  if constexpr (R != Round::Rn) {
    const double product = static_cast<double>(a) * static_cast<double>(b);  // exact
    const double sum =
        zero_sum<R>(add_to_odd(product, static_cast<double>(c)), product, static_cast<double>(c));
    return finish<kSat>(narrow_flushing<R, kFtz>(sum));
  } else if constexpr (kFtz) {
    return finish<kSat>(flush_tiny(std::fma(a, b, c), std::fma(a * 0x1p64f, b, c * 0x1p64f)));
  } else {
    return finish<kSat>(std::fma(a, b, c));
  }
}
// Quotients and roots of f32 values are never so near to an f32 value or tie that double's rounding crosses
// it.
template <Round R, bool kFtz>
inline float div_f32(float a, float b) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  if constexpr (R != Round::Rn) {
    return canonical(narrow_flushing<R, kFtz>(static_cast<double>(a) / static_cast<double>(b)));
  } else if constexpr (kFtz) {
    return canonical(flush_tiny(a / b, a * 0x1p64f / b));
  } else {
    return canonical(a / b);
  }
}
template <Round R, bool kFtz>
inline float rcp_f32(float a) {
  if constexpr (R == Round::Rn) return canonical(flushed<kFtz>(1.0f / flushed<kFtz>(a)));  // never in doubt
  return div_f32<R, kFtz>(1.0f, a);
}
template <Round R, bool kFtz>
inline float sqrt_f32(float a) {
  a = flushed<kFtz>(a);
  if constexpr (R == Round::Rn) return canonical(std::sqrt(a));
  return canonical(narrow<R>(std::sqrt(static_cast<double>(a))));
}

// ---- f64, round to nearest; the directed modes set the host's rounding mode around the same functions
// ----------

inline double add_f64(double a, double b) {
  return propagate(a + b, b, a);
}
inline double sub_f64(double a, double b) {
  return propagate(a - b, b, a);
}
inline double mul_f64(double a, double b) {
  return propagate(a * b, b, a);
}
inline double fma_f64(double a, double b, double c) {
  return propagate(std::fma(a, b, c), b, c, a);
}
inline double div_f64(double a, double b) {
  return propagate(a / b, a, b);
}
inline double rcp_f64(double a) {
  return propagate(1.0 / a, a);
}
inline double sqrt_f64(double a) {
  return propagate(std::sqrt(a), a);
}

// ---- sign operations, minimum and maximum: on bits, for every format
// --------------------------------------------

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

// Order of the values as signed integers: -0 before +0.
template <class Fmt, class Bits>
inline auto order_key(Bits a) {
  using Signed = std::make_signed_t<Bits>;
  constexpr int kUp =
      static_cast<int>(8 * sizeof(Bits)) - 1 - static_cast<int>(Fmt::exponent_bits + Fmt::fraction_bits);
  const Signed s = static_cast<Signed>(a << kUp);
  const Bits negative = static_cast<Bits>(s >> (8 * sizeof(Bits) - 1));
  return static_cast<Signed>(static_cast<Bits>(s) ^ (negative >> 1));
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
