// Shifts, bit fields, permutations. Shift amounts are u32 lanes for every width.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "exec/alu/integer_ops.h"
#include "ptx/ir/instr.h"

namespace heddle::exec::alu {

template <class T>
inline T and_bits(T a, T b) {
  return a & b;
}
template <class T>
inline T or_bits(T a, T b) {
  return a | b;
}
template <class T>
inline T xor_bits(T a, T b) {
  return a ^ b;
}
template <class T>
inline LaneOf<T> not_bits(LaneOf<T> a) {
  return lane(static_cast<T>(~a));
}
template <class T>
inline LaneOf<T> cnot(LaneOf<T> a) {
  return static_cast<T>(a) == 0 ? 1 : 0;
}

// Amounts of the width and more shift everything out (shr: leave the sign).
template <class T>
inline LaneOf<T> shl(LaneOf<T> a, std::uint32_t n) {
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  return n < kWidth ? lane(static_cast<T>(a << (n & (8 * sizeof(LaneOf<T>) - 1)))) : 0;
}
template <class T>
inline LaneOf<T> shr(LaneOf<T> a, std::uint32_t n) {
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  const std::uint32_t k = std::min(n, kWidth - 1);
  const LaneOf<T> shifted = lane(static_cast<T>(static_cast<T>(a) >> k));
  if constexpr (std::is_signed_v<T>) return shifted;
  return n < kWidth ? shifted : 0;
}

template <bool kLeft, bool kClamp>
inline std::uint32_t shf(std::uint32_t low, std::uint32_t high, std::uint32_t n) {
  const std::uint32_t k = kClamp ? std::min(n, 32u) : n & 31u;
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return kLeft ? static_cast<std::uint32_t>(both << k >> 32) : static_cast<std::uint32_t>(both >> k);
}

// a with `n` low bits kept; n may be the width or more.
template <class U>
inline U low_bits(U a, std::uint32_t n) {
  constexpr std::uint32_t kWidth = 8 * sizeof(U);
  return n >= kWidth ? a : static_cast<U>(a & ((U{1} << (n & (kWidth - 1))) - 1));
}

// Position and length of a bit field. The 32-bit instructions look at 8 bits of them, the 64-bit ones at all.
template <class U>
inline std::uint32_t field_number(std::uint32_t x) {
  return sizeof(U) == 8 ? std::min(x, 255u) : x & 0xffu;
}

template <class T>
inline LaneOf<T> bfe(LaneOf<T> a, std::uint32_t b, std::uint32_t c) {
  using U = LaneOf<T>;
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  const std::uint32_t pos = field_number<U>(b), len = field_number<U>(c);
  const U shifted = pos < kWidth ? a >> (pos & (kWidth - 1)) : 0;
  const U field = low_bits(shifted, len);
  if constexpr (!std::is_signed_v<T>) return field;
  const std::uint32_t sign_at = std::min(pos + len - 1, kWidth - 1);
  const bool fill = len != 0 && (a >> (sign_at & (kWidth - 1)) & 1) != 0;
  // Bits of the result that come from a: up to len, and no further than a's top.
  const std::uint32_t valid = std::min(len, pos < kWidth ? kWidth - pos : 0);
  const U ones = static_cast<U>(~low_bits(static_cast<U>(~U{0}), valid));
  return fill ? static_cast<U>(low_bits(field, valid) | (valid >= kWidth ? 0 : ones)) : field;
}

template <class U>
inline U bfi(U a, U b, std::uint32_t c, std::uint32_t d) {
  constexpr std::uint32_t kWidth = 8 * sizeof(U);
  const std::uint32_t pos = field_number<U>(c), len = field_number<U>(d);
  const U ones = low_bits(static_cast<U>(~U{0}), len);
  const U mask = pos < kWidth ? static_cast<U>(ones << (pos & (kWidth - 1))) : 0;
  const U field = pos < kWidth ? static_cast<U>(a << (pos & (kWidth - 1))) : 0;
  return (b & ~mask) | (field & mask);
}

template <class T, bool kShiftAmount>
inline std::uint32_t bfind(LaneOf<T> a) {
  using U = LaneOf<T>;
  const U x = std::is_signed_v<T> && static_cast<T>(a) < 0 ? static_cast<U>(~a) : a;
  if (x == 0) return ~0u;
  const std::uint32_t zeros = static_cast<std::uint32_t>(std::countl_zero(x));
  return kShiftAmount ? zeros : 8 * sizeof(U) - 1 - zeros;
}
template <class U>
inline std::uint32_t popc(U a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
template <class U>
inline std::uint32_t clz(U a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
template <class U>
inline U brev(U a) {
  U r = a;
  r = static_cast<U>((r >> 1 & U(0x5555555555555555)) | (r & U(0x5555555555555555)) << 1);
  r = static_cast<U>((r >> 2 & U(0x3333333333333333)) | (r & U(0x3333333333333333)) << 2);
  r = static_cast<U>((r >> 4 & U(0x0f0f0f0f0f0f0f0f)) | (r & U(0x0f0f0f0f0f0f0f0f)) << 4);
  r = static_cast<U>((r >> 8 & U(0x00ff00ff00ff00ff)) | (r & U(0x00ff00ff00ff00ff)) << 8);
  r = static_cast<U>((r >> 16 & U(0x0000ffff0000ffff)) | (r & U(0x0000ffff0000ffff)) << 16);
  if constexpr (sizeof(U) == 8) r = r >> 32 | r << 32;
  return r;
}

template <bool kClamp>
inline std::uint32_t bmsk(std::uint32_t a, std::uint32_t b) {
  if constexpr (!kClamp) {
    a &= 31u;
    b &= 31u;
  }
  const std::uint32_t ones = low_bits(~0u, b);
  return a < 32 ? ones << (a & 31u) : 0;
}

template <class T, bool kClamp>
inline std::uint32_t szext(std::uint32_t a, std::uint32_t n) {
  const std::uint32_t k = kClamp ? std::min(n, 32u) : n & 31u;
  if (k == 0) return 0;
  const std::uint32_t up = a << (32 - k);
  return static_cast<std::uint32_t>(static_cast<T>(up) >> (32 - k));
}

// The offset-th set bit of the mask counted from base upwards (or downwards); offset 0: base itself.
inline std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::uint32_t offset) {
  const std::int32_t n = static_cast<std::int32_t>(offset);
  if (n == 0) return base < 32 && (mask >> base & 1u) != 0 ? base : ~0u;
  std::uint32_t left = (n < 0 ? 0u - offset : offset) - 1;
  for (std::int64_t at = base; at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
    if ((mask >> at & 1u) != 0 && left-- == 0) return static_cast<std::uint32_t>(at);
  }
  return ~0u;
}

inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t lut) {
  std::uint32_t r = 0;
  for (std::uint32_t k = 0; k < 8; ++k) {
    const std::uint32_t term = ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    r |= term & (0u - (lut >> k & 1u));
  }
  return r;
}

// Byte `index` (0..7) of {b, a}.
inline std::uint32_t pick_byte(std::uint64_t both, std::uint32_t index) {
  return static_cast<std::uint32_t>(both >> (8 * (index & 7u))) & 0xffu;
}
template <ptx::PrmtMode M>
inline std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  using enum ptx::PrmtMode;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  const std::uint32_t sel = c & 3u;
  std::uint32_t r = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::uint32_t byte = 0;
    if constexpr (M == Default) {
      const std::uint32_t nibble = c >> (4 * i) & 0xfu;
      byte = pick_byte(both, nibble);
      const std::uint32_t sign = (byte >> 7 & 1u) != 0 ? 0xffu : 0u;
      byte = (nibble & 8u) != 0 ? sign : byte;
    } else if constexpr (M == F4e) {
      byte = pick_byte(both, sel + i);
    } else if constexpr (M == B4e) {
      byte = pick_byte(both, sel - i);
    } else if constexpr (M == Rc8) {
      byte = pick_byte(both, sel);
    } else if constexpr (M == Ecl) {
      byte = pick_byte(both, std::max(sel, i));
    } else if constexpr (M == Ecr) {
      byte = pick_byte(both, std::min(sel, i));
    } else {
      byte = pick_byte(both, (sel & 1u) * 2 + (i & 1u));
    }
    r |= byte << (8 * i);
  }
  return r;
}

}  // namespace heddle::exec::alu
