// Integer arithmetic. 16-bit types live in 4-byte lanes: sources are cut to their width, results are
// zero-extended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace heddle::exec::alu {

// The lane that holds a T.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
using WideOf =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T>
inline LaneOf<T> lane(T x) {  // zero-extended
  return static_cast<LaneOf<T>>(static_cast<std::make_unsigned_t<T>>(x));
}

template <class T>
inline LaneOf<T> add_int(LaneOf<T> a, LaneOf<T> b) {
  return lane(static_cast<T>(a + b));
}
template <class T>
inline LaneOf<T> sub_int(LaneOf<T> a, LaneOf<T> b) {
  return lane(static_cast<T>(a - b));
}
template <class T>
inline LaneOf<T> mul_lo(LaneOf<T> a, LaneOf<T> b) {
  return lane(static_cast<T>(a * b));
}

// 64 x 64 -> high 64, from 32-bit products.
inline std::uint64_t mul_hi_u64(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}
template <class T>
inline LaneOf<T> mul_hi(LaneOf<T> a, LaneOf<T> b) {
  if constexpr (sizeof(T) == 8) {
    std::uint64_t high = mul_hi_u64(a, b);
    if constexpr (std::is_signed_v<T>) {
      high -= (static_cast<std::int64_t>(a) < 0 ? b : 0) + (static_cast<std::int64_t>(b) < 0 ? a : 0);
    }
    return high;
  } else {
    using W = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return lane(static_cast<T>((static_cast<W>(static_cast<T>(a)) * static_cast<T>(b)) >> (8 * sizeof(T))));
  }
}
template <class T>
inline LaneOf<WideOf<T>> mul_wide(LaneOf<T> a, LaneOf<T> b) {
  using W = WideOf<T>;
  using U = std::make_unsigned_t<W>;  // 65535 * 65535 does not fit into int
  return lane(static_cast<W>(static_cast<U>(static_cast<W>(static_cast<T>(a))) *
                             static_cast<U>(static_cast<W>(static_cast<T>(b)))));
}
template <class T>
inline LaneOf<T> mad_lo(LaneOf<T> a, LaneOf<T> b, LaneOf<T> c) {
  return lane(static_cast<T>(a * b + c));
}
template <class T>
inline LaneOf<T> mad_hi(LaneOf<T> a, LaneOf<T> b, LaneOf<T> c) {
  return lane(static_cast<T>(mul_hi<T>(a, b) + c));
}
template <class T>
inline LaneOf<WideOf<T>> mad_wide(LaneOf<T> a, LaneOf<T> b, LaneOf<WideOf<T>> c) {
  return mul_wide<T>(a, b) + c;
}

inline std::int32_t clamp_s32(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, INT32_MIN, INT32_MAX));
}
inline std::int32_t add_sat(std::int32_t a, std::int32_t b) {
  return clamp_s32(std::int64_t{a} + b);
}
inline std::int32_t sub_sat(std::int32_t a, std::int32_t b) {
  return clamp_s32(std::int64_t{a} - b);
}
inline std::int32_t mad_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return clamp_s32(((std::int64_t{a} * b) >> 32) + c);
}

// Division by zero is unspecified; this is what the instruction sequence on silicon gives for unsigned types.
template <class T>
inline LaneOf<T> div_int(LaneOf<T> a, LaneOf<T> b) {
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if (y == 0) return lane(static_cast<T>(~T{0}));
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return lane(static_cast<T>(LaneOf<T>{0} - a));
  }
  return lane(static_cast<T>(x / y));
}
template <class T>
inline LaneOf<T> rem_int(LaneOf<T> a, LaneOf<T> b) {
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if (y == 0) return lane(x);
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
  }
  return lane(static_cast<T>(x % y));
}

template <class T>
inline LaneOf<T> min_int(LaneOf<T> a, LaneOf<T> b) {
  return lane(std::min(static_cast<T>(a), static_cast<T>(b)));
}
template <class T>
inline LaneOf<T> max_int(LaneOf<T> a, LaneOf<T> b) {
  return lane(std::max(static_cast<T>(a), static_cast<T>(b)));
}
template <class T>
inline LaneOf<T> abs_int(LaneOf<T> a) {
  return static_cast<T>(a) < 0 ? lane(static_cast<T>(LaneOf<T>{0} - a)) : lane(static_cast<T>(a));
}
template <class T>
inline LaneOf<T> neg_int(LaneOf<T> a) {
  return lane(static_cast<T>(LaneOf<T>{0} - a));
}
template <class T>
inline LaneOf<T> sad_int(LaneOf<T> a, LaneOf<T> b, LaneOf<T> c) {
  const LaneOf<T> difference = static_cast<T>(a) < static_cast<T>(b) ? b - a : a - b;
  return lane(static_cast<T>(c + difference));
}

// 24-bit products: operands are the low 24 bits, sign- or zero-extended.
template <class T>
inline std::int64_t low24(std::uint32_t a) {
  if constexpr (std::is_signed_v<T>) return static_cast<std::int32_t>(a << 8) >> 8;
  return a & 0xffffffu;
}
template <class T, bool kHigh>
inline std::uint32_t mul24(std::uint32_t a, std::uint32_t b) {
  const std::int64_t product = low24<T>(a) * low24<T>(b);
  return static_cast<std::uint32_t>(kHigh ? product >> 16 : product);
}
template <class T, bool kHigh>
inline std::uint32_t mad24(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return mul24<T, kHigh>(a, b) + c;
}
inline std::uint32_t mad24_hi_sat(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::int64_t high = (low24<std::int32_t>(a) * low24<std::int32_t>(b)) >> 16;
  return static_cast<std::uint32_t>(
      clamp_s32(static_cast<std::int32_t>(high) + std::int64_t{static_cast<std::int32_t>(c)}));
}

// Dot products of bytes (TA, TB: signedness of a's and b's elements).
template <class TA, class TB>
inline std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum = c;
  for (int k = 0; k < 4; ++k) {
    const std::int32_t x = static_cast<TA>(a >> 8 * k);
    const std::int32_t y = static_cast<TB>(b >> 8 * k);
    sum += static_cast<std::uint32_t>(x * y);
  }
  return sum;
}
// a: two 16-bit values; b: its two low (or high) bytes.
template <class TA, class TB, bool kHigh>
inline std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t sum = c;
  for (int k = 0; k < 2; ++k) {
    const std::int32_t x = static_cast<TA>(a >> 16 * k);
    const std::int32_t y = static_cast<TB>(b >> (8 * k + (kHigh ? 16 : 0)));
    sum += static_cast<std::uint32_t>(x * y);
  }
  return sum;
}

}  // namespace heddle::exec::alu
