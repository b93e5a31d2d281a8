// Conversions. One general function goes through the unpacked form and knows every rule; the common ones also
// have a fast version, and the tests hold the two against each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "exec/alu/float_format.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/half_ops.h"
#include "exec/alu/integer_ops.h"
#include "ptx/ir/instr.h"

namespace heddle::exec::alu {

using ptx::Type;

// ---- the general path
// ------------------------------------------------------------------------------------------

inline Unpacked unpack_float(Type t, std::uint64_t b) {
  switch (t) {
    case Type::F16:
      return unpack<F16>(b & 0xffffu);
    case Type::BF16:
      return unpack<BF16>(b & 0xffffu);
    case Type::F32:
      return unpack<F32>(b & 0xffffffffu);
    default:
      return unpack<F64>(b);
  }
}
inline std::uint64_t pack_float(Type t, const Unpacked& u, Round mode) {
  switch (t) {
    case Type::F16:
      return pack<F16>(u, mode);
    case Type::BF16:
      return pack<BF16>(u, mode);
    case Type::F32:
      return pack<F32>(u, mode);
    case Type::TF32:
      return pack<TF32>(u, mode) << 13;
    default:
      return pack<F64>(u, mode);
  }
}
inline std::uint64_t one_of(Type t) {
  switch (t) {
    case Type::F16:
      return F16::one;
    case Type::BF16:
      return BF16::one;
    case Type::F32:
      return F32::one;
    default:
      return F64::one;
  }
}

// An integer lane as a 64-bit value, sign- or zero-extended from its type.
inline std::uint64_t extend(Type t, std::uint64_t b) {
  const unsigned drop = 64 - bits(t);
  const std::uint64_t up = b << drop;
  return is_signed(t) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(up) >> drop) : up >> drop;
}

struct IntegerRange {
  std::uint64_t min_magnitude, max;  // the smallest value is -min_magnitude
};
inline IntegerRange range_of(Type t) {
  const unsigned width = bits(t);
  if (is_signed(t)) return {std::uint64_t{1} << (width - 1), (std::uint64_t{1} << (width - 1)) - 1};
  return {0, ~std::uint64_t{0} >> (64 - width)};
}
inline std::uint64_t clamp_to(Type t, bool negative, std::uint64_t magnitude) {
  const IntegerRange r = range_of(t);
  return negative ? std::uint64_t{0} - std::min(magnitude, r.min_magnitude) : std::min(magnitude, r.max);
}

// NaN becomes 0, except through the 64-bit converters, where it becomes the type's sign bit alone.
inline std::uint64_t nan_to_integer(Type to, Type from) {
  const bool wide = from == Type::F64 || bits(to) == 64;
  return wide ? extend(to, std::uint64_t{1} << (bits(to) - 1)) : 0;
}

inline std::uint64_t float_to_integer(const ptx::Instr& instr, const Unpacked& u) {
  if (u.cls == Unpacked::Class::Nan) return nan_to_integer(instr.type, instr.src_type);
  if (u.cls == Unpacked::Class::Inf) return clamp_to(instr.type, u.negative, ~std::uint64_t{0});
  bool overflow = false;
  const std::uint64_t magnitude = integer_magnitude(u, instr.round, &overflow);
  return clamp_to(instr.type, u.negative, magnitude);
}

// NaNs of conversions between formats: to and from f64 they keep sign and the upper payload and become quiet.
template <class To, class From>
inline std::uint64_t carry_nan(std::uint64_t b) {
  const std::uint64_t sign = (b & From::sign) != 0 ? To::sign : 0;
  const std::uint64_t payload = b & (From::min_normal - 1);
  constexpr int kShift = static_cast<int>(To::fraction_bits) - static_cast<int>(From::fraction_bits);
  const std::uint64_t moved =
      kShift >= 0 ? payload << (kShift >= 0 ? kShift : 0) : payload >> (kShift < 0 ? -kShift : 0);
  return sign | To::inf | moved | To::min_normal >> 1;
}
inline std::uint64_t nan_to_float(Type to, Type from, std::uint64_t b) {
  if (to == Type::F64) {
    switch (from) {
      case Type::F16:
        return carry_nan<F64, F16>(b & 0xffffu);
      case Type::BF16:
        return carry_nan<F64, BF16>(b & 0xffffu);
      case Type::F32:
        return carry_nan<F64, F32>(b & 0xffffffffu);
      default:
        return carry_nan<F64, F64>(b);
    }
  }
  if (from == Type::F64 && to == Type::F32) return carry_nan<F32, F64>(b);
  if (from == Type::F64 && to == Type::BF16) return carry_nan<BF16, F64>(b);
  if (from == Type::F64 && to == Type::F16) return carry_nan<F16, F64>(b);
  if (to == Type::TF32) return TF32::nan << 13;
  return to == Type::F32 ? F32::nan : F16::nan;
}

inline bool is_integral(Round r) {
  return r >= Round::Rni;
}

// .satfinite: the largest finite value instead of infinity. With .rna silicon takes one unit from everything
// that has the largest exponent, NaNs too.
inline std::uint64_t saturate_finite(Type t, Round mode, std::uint64_t r) {
  if (t == Type::TF32 && mode == Round::Rna) return (r & F32::inf) == F32::inf ? r - 0x2000 : r;
  if (t == Type::TF32) return (r & 0x7fffffffu) == F32::inf ? r - 0x2000 : r;
  const std::uint64_t inf = t == Type::BF16 ? BF16::inf : F16::inf;
  return (r & 0x7fffu) == inf ? r - 1 : r;
}

// .sat: to [0, 1].
inline std::uint64_t saturate_float(const ptx::Instr& instr, std::uint64_t r) {
  const Unpacked u = unpack_float(instr.type, r);
  if (u.negative || u.cls == Unpacked::Class::Nan) return 0;
  return std::min(r, one_of(instr.type));
}

inline std::uint64_t pack_f32_flushing(const Unpacked& u, Round mode);

// cvt.rna.tf32: halves away from zero. A carry into the exponent is right, up to infinity; NaNs are cut.
inline std::uint32_t f32_to_tf32_rna(std::uint32_t b) {
  const bool special = (b & F32::inf) == F32::inf;
  return (special ? b : b + 0x1000u) & 0xffffe000u;
}

inline std::uint64_t float_to_float(const ptx::Instr& instr, std::uint64_t b, Unpacked u) {
  const Type to = instr.type, from = instr.src_type;
  std::uint64_t r = 0;
  if (to == Type::TF32 && instr.round == Round::Rna) {
    r = f32_to_tf32_rna(static_cast<std::uint32_t>(b));
  } else if (u.cls == Unpacked::Class::Nan) {
    r = nan_to_float(to, from, b);
  } else if (is_integral(instr.round) && u.cls == Unpacked::Class::Finite && u.exponent < 63) {
    bool overflow = false;
    r = pack_float(to, unpack_integer(integer_magnitude(u, instr.round, &overflow), u.negative), Round::Rn);
  } else if (to == Type::F32 && instr.ftz) {
    r = pack_f32_flushing(u, instr.round);
  } else {
    r = pack_float(to, u, instr.round);
  }
  return r;
}

// f32 with .ftz: zero unless rounding to 24 bits, the exponent unbounded, reaches the normal range.
inline std::uint64_t pack_f32_flushing(const Unpacked& u, Round mode) {
  if (u.cls != Unpacked::Class::Finite || u.exponent >= 1 - F32::bias) return pack<F32>(u, mode);
  Unpacked scaled = u;
  scaled.exponent += 64;
  const std::uint64_t limit = std::uint64_t{65}
                              << F32::fraction_bits;  // the smallest normal, 2^64 times larger
  const std::uint64_t sign = u.negative ? F32::sign : 0;
  const bool normal = u.exponent > -100 - F32::bias && (pack<F32>(scaled, mode) & (F32::sign - 1)) >= limit;
  return sign | (normal ? F32::min_normal : 0);
}

inline std::uint64_t convert_general(const ptx::Instr& instr, std::uint64_t b) {
  const Type to = instr.type, from = instr.src_type;
  if (!is_float(from)) {
    const std::uint64_t x = extend(from, b);
    const bool negative = is_signed(from) && static_cast<std::int64_t>(x) < 0;
    const std::uint64_t magnitude = negative ? std::uint64_t{0} - x : x;
    if (!is_float(to)) return extend(to, instr.sat ? clamp_to(to, negative, magnitude) : x);
    const std::uint64_t r = pack_float(to, unpack_integer(magnitude, negative), instr.round);
    return instr.sat ? saturate_float(instr, r) : r;
  }
  if (from == Type::F32 && instr.ftz && to != Type::F16) {  // f16 results: silicon ignores .ftz
    b = bits_of(canonical(flushed<true>(f32_of(static_cast<std::uint32_t>(b)))));
  }
  const Unpacked u = unpack_float(from, b);
  if (!is_float(to)) return extend(to, float_to_integer(instr, u));
  std::uint64_t r = float_to_float(instr, b, u);
  if (to == Type::F32 && instr.ftz) r = flush<F32>(static_cast<std::uint32_t>(r));
  if (instr.sat) r = saturate_float(instr, r);
  if (instr.satfinite) r = saturate_finite(to, instr.round, r);
  // 16-bit destinations and tf32 only; their NaNs have no sign.
  if (instr.relu && (r >> (to == Type::TF32 ? 31 : 15) & 1) != 0) r = 0;
  return r;
}

// ---- fast paths
// ----------------------------------------------------------------------------------------------------

// T: destination, S: source. Narrow signed destinations fill the whole 32-bit lane: the register may be
// wider.
template <class T, class S>
inline LaneOf<T> cvt_int(LaneOf<S> a) {
  using Filled = std::conditional_t<sizeof(T) == 8, T,
                                    std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
  return static_cast<LaneOf<T>>(static_cast<Filled>(static_cast<T>(static_cast<S>(a))));
}

template <class F, class S>
inline F int_to_float(LaneOf<S> a) {
  if constexpr (sizeof(S) == 8 && sizeof(F) == 4) {
    // By way of double, since clang does that itself, in vectors for arm64, and rounds twice. From 2^53 on
    // the low 11 bits first become one sticky bit: the double is exact, and f32 is rounded to only once, in
    // any mode.
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
    const std::uint64_t sticky = (a & ~std::uint64_t{0x7ff}) | (((a & 0x7ff) + 0x7ff) & 0x800);
    const bool large = std::is_signed_v<S> ? a + kExact > 2 * kExact : a > kExact;
    return static_cast<F>(static_cast<double>(static_cast<S>(large ? sticky : a)));
  } else {
    return static_cast<F>(static_cast<S>(a));
  }
}

template <Round R, class F>
inline F integral(F x) {
  if constexpr (R == Round::Rni)
    return std::nearbyint(x);
  else if constexpr (R == Round::Rmi)
    return std::floor(x);
  else if constexpr (R == Round::Rpi)
    return std::ceil(x);
  else
    return std::trunc(x);
}

// f32 to s32/u32. The casts see only values in range.
template <Round R, bool kFtz>
inline std::uint32_t f32_to_s32(float x) {
  x = integral<R>(flushed<kFtz>(x));
  const float low = x > -0x1p31f ? x : -0x1p31f;  // NaN too
  const float in_range = low < 0x1.fffffep30f ? low : 0x1.fffffep30f;
  std::int32_t r = static_cast<std::int32_t>(in_range);
  r = x >= 0x1p31f ? INT32_MAX : r;
  return static_cast<std::uint32_t>(x == x ? r : 0);
}
template <Round R, bool kFtz>
inline std::uint32_t f32_to_u32(float x) {
  x = integral<R>(flushed<kFtz>(x));
  const float low = x > 0.0f ? x : 0.0f;
  const float in_range = low < 0x1.fffffep31f ? low : 0x1.fffffep31f;
  const std::uint32_t r = static_cast<std::uint32_t>(in_range);
  return x >= 0x1p32f ? ~0u : r;
}
template <Round R>
inline std::uint32_t f64_to_s32(double x) {
  x = integral<R>(x);
  const double low = x > -0x1p31 ? x : -0x1p31;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(low < 0x1.fffffffcp30 ? low : 0x1.fffffffcp30));
}

// To 64-bit integers; the range's end is a power of two that the source format can hold.
template <Round R, class F>
inline std::uint64_t to_s64(F x) {
  x = integral<R>(x);
  const F low = x > F(-0x1p63) ? x : F(-0x1p63);  // NaN becomes the smallest value, as it should
  const bool above = low >= F(0x1p63);
  const std::int64_t r = static_cast<std::int64_t>(above ? F(0) : low);
  return above ? static_cast<std::uint64_t>(INT64_MAX) : static_cast<std::uint64_t>(r);
}
template <Round R, class F>
inline std::uint64_t to_u64(F x) {
  const F whole = integral<R>(x);
  const F low = whole > F(0) ? whole : F(0);
  const bool above = low >= F(0x1p64);
  const std::uint64_t r = static_cast<std::uint64_t>(above ? F(0) : low);
  return x == x ? (above ? ~std::uint64_t{0} : r) : std::uint64_t{1} << 63;
}

inline double widen_f32(float x) {
  const std::uint64_t quiet =
      bits_of(static_cast<double>(x));  // the host keeps sign and payload, but says so nowhere
  const std::uint64_t nan = carry_nan<F64, F32>(bits_of(x));
  return f64_of(is_nan<F32>(bits_of(x)) ? nan : quiet);
}
template <bool kFtz>
inline double f32_to_f64(float x) {
  return widen_f32(kFtz ? canonical(flushed<true>(x)) : x);
}
template <bool kFtz>
inline float f64_to_f32(double x) {
  const float nearest = static_cast<float>(x);
  const std::uint32_t r = bits_of(kFtz ? flush_tiny(nearest, static_cast<float>(x * 0x1p64)) : nearest);
  const auto nan = static_cast<std::uint32_t>(carry_nan<F32, F64>(bits_of(x)));
  return f32_of(is_nan<F64>(bits_of(x)) ? nan : r);
}
inline float f16_to_f32(std::uint32_t h) {
  return canonical(widen_f16(h & 0xffffu));
}
inline std::uint32_t f32_to_f16(float x) {
  return narrow_f16(x);
}

template <Round R, bool kFtz, bool kSat>
inline float f32_to_integral(float x) {
  return finish<kSat>(integral<R>(flushed<kFtz>(x)));
}
template <Round R>
inline double f64_to_integral(double x) {
  return propagate(integral<R>(x), x);
}
template <bool kFtz>
inline float f32_saturated(float x) {
  return saturate(flushed<kFtz>(x));
}

}  // namespace heddle::exec::alu
