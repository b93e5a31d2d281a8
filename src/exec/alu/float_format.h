// Floating-point formats as bits: their constants, a format-independent unpacked value, and rounding it into
// a format under any rounding mode. The slow but always right path; float_ops.h has the fast ones.
#pragma once

#include <bit>
#include <cstdint>

#include "ptx/ir/types.h"

namespace heddle::exec::alu {

using ptx::Round;

template <unsigned kExponentBits, unsigned kFractionBits, std::uint64_t kNan>
struct Format {
  static constexpr unsigned exponent_bits = kExponentBits;
  static constexpr unsigned fraction_bits = kFractionBits;
  static constexpr int bias = (1 << (kExponentBits - 1)) - 1;
  static constexpr std::uint64_t sign = std::uint64_t{1} << (kExponentBits + kFractionBits);
  static constexpr std::uint64_t inf = ((std::uint64_t{1} << kExponentBits) - 1) << kFractionBits;
  static constexpr std::uint64_t max = inf - 1;
  static constexpr std::uint64_t one = std::uint64_t{bias} << kFractionBits;
  static constexpr std::uint64_t min_normal = std::uint64_t{1} << kFractionBits;
  static constexpr std::uint64_t nan = kNan;  // what arithmetic produces
  static constexpr int max_exponent = bias;
  static constexpr bool has_infinity = true;
};
using F16 = Format<5, 10, 0x7fff>;
using BF16 = Format<8, 7, 0x7fff>;
using F32 = Format<8, 23, 0x7fffffff>;
using TF32 = Format<8, 10, 0x3ffff>;  // the upper 19 bits of a word
using F64 = Format<11, 52, 0xfff8000000000000>;
using E5M2 = Format<5, 2, 0x7f>;
// No infinities, and one NaN: numbers go on to where it is.
struct E4M3 : Format<4, 3, 0x7f> {
  static constexpr std::uint64_t inf = 0x7f;  // the first that is no number
  static constexpr std::uint64_t max = 0x7e;
  static constexpr int max_exponent = 8;
  static constexpr bool has_infinity = false;
};

inline float f32_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline double f64_of(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}
inline std::uint32_t bits_of(float x) {
  return std::bit_cast<std::uint32_t>(x);
}
inline std::uint64_t bits_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

template <class Fmt, class Bits>
constexpr bool is_nan(Bits b) {
  return (b & (Fmt::sign - 1)) > Fmt::inf;
}
template <class Fmt, class Bits>
constexpr Bits flush(Bits b) {  // denormals to zero, keeping the sign
  return (b & Fmt::inf) == 0 ? static_cast<Bits>(b & Fmt::sign) : b;
}

// A value without a format: significand * 2^(exponent - 63), the significand's top bit set. Bit 0 may be a
// sticky bit for everything below.
struct Unpacked {
  enum class Class : std::uint8_t { Zero, Finite, Inf, Nan };
  Class cls = Class::Zero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;
};

template <class Fmt>
inline Unpacked unpack(std::uint64_t b) {
  Unpacked u;
  u.negative = (b & Fmt::sign) != 0;
  b &= Fmt::sign - 1;
  if (b == 0) return u;
  if (b >= Fmt::inf) {
    u.cls = Fmt::has_infinity && b == Fmt::inf ? Unpacked::Class::Inf : Unpacked::Class::Nan;
    return u;
  }
  u.cls = Unpacked::Class::Finite;
  const std::uint64_t field = b >> Fmt::fraction_bits;
  const std::uint64_t fraction = b & (Fmt::min_normal - 1);
  const std::uint64_t sig = field != 0 ? fraction | Fmt::min_normal : fraction;
  const int shift = std::countl_zero(sig);
  u.significand = sig << shift;
  u.exponent = (field != 0 ? static_cast<int>(field) : 1) - Fmt::bias - static_cast<int>(Fmt::fraction_bits) +
               63 - shift;
  return u;
}

inline Unpacked unpack_integer(std::uint64_t magnitude, bool negative) {
  Unpacked u;
  u.negative = negative;
  if (magnitude == 0) return u;
  u.cls = Unpacked::Class::Finite;
  const int shift = std::countl_zero(magnitude);
  u.significand = magnitude << shift;
  u.exponent = 63 - shift;
  return u;
}

// Whether dropping `rest` (compared with `half`, the value of half a unit) rounds the magnitude up.
constexpr bool rounds_up(Round mode, bool negative, bool odd, std::uint64_t rest, std::uint64_t half) {
  if (rest == 0) return false;
  switch (mode) {
    case Round::Rz:
    case Round::Rzi:
      return false;
    case Round::Rm:
    case Round::Rmi:
      return negative;
    case Round::Rp:
    case Round::Rpi:
      return !negative;
    case Round::Rna:
      return rest >= half;
    default:
      return rest > half || (rest == half && odd);
  }
}

// The bits in Fmt. Overflow gives infinity or the largest value, as the mode says.
template <class Fmt>
inline std::uint64_t pack(const Unpacked& u, Round mode) {
  const std::uint64_t sign = u.negative ? Fmt::sign : 0;
  switch (u.cls) {
    case Unpacked::Class::Zero:
      return sign;
    case Unpacked::Class::Inf:
      return sign | Fmt::inf;
    case Unpacked::Class::Nan:
      return Fmt::nan;
    case Unpacked::Class::Finite:
      break;
  }
  constexpr int kDrop = 63 - static_cast<int>(Fmt::fraction_bits);
  const int below = u.exponent < 1 - Fmt::bias ? 1 - Fmt::bias - u.exponent : 0;  // denormal: bits lost
  const int drop = kDrop + below;
  std::uint64_t kept = 0, rest = 0, half = 0;
  if (drop < 64) {
    kept = u.significand >> drop;
    rest = u.significand << (64 - drop);
    half = std::uint64_t{1} << 63;
  } else {  // below the smallest denormal; drop == 64 is half of it
    rest = drop == 64 ? u.significand : 1;
    half = std::uint64_t{1} << 63;
  }
  if (rounds_up(mode, u.negative, (kept & 1) != 0, rest, half)) ++kept;
  // A carry out of the fraction runs into the exponent field, which is what it should do.
  const std::uint64_t field = below != 0 ? 0 : static_cast<std::uint64_t>(u.exponent + Fmt::bias - 1);
  if (u.exponent > Fmt::max_exponent || (field << Fmt::fraction_bits) + kept >= Fmt::inf) {
    const bool to_max =
        mode == Round::Rz || (mode == Round::Rm && !u.negative) || (mode == Round::Rp && u.negative);
    return sign | (to_max ? Fmt::max : Fmt::inf);
  }
  return sign | ((field << Fmt::fraction_bits) + kept);
}

// Rounded to an integer: magnitude (all ones when beyond 64 bits).
inline std::uint64_t integer_magnitude(const Unpacked& u, Round mode, bool* overflow) {
  *overflow = false;
  if (u.cls != Unpacked::Class::Finite) return 0;
  if (u.exponent > 63) {
    *overflow = true;
    return ~std::uint64_t{0};
  }
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  if (u.exponent == 63) return u.significand;
  if (u.exponent < -1) return rounds_up(mode, u.negative, false, 1, kHalf) ? 1 : 0;
  if (u.exponent == -1) return rounds_up(mode, u.negative, false, u.significand, kHalf) ? 1 : 0;
  const int drop = 63 - u.exponent;
  const std::uint64_t kept = u.significand >> drop;
  const std::uint64_t rest = u.significand << (64 - drop);
  return kept + (rounds_up(mode, u.negative, (kept & 1) != 0, rest, kHalf) ? 1 : 0);
}

}  // namespace heddle::exec::alu
