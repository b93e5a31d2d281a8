// Comparisons. On floats the names without u are false when an operand is NaN, those with u true.
#pragma once

#include <cstdint>
#include <type_traits>

#include "exec/alu/half_ops.h"
#include "ptx/ir/instr.h"

namespace heddle::exec::alu {

using ptx::Cmp;

template <Cmp C, class T>
inline bool compare(T a, T b) {
  if constexpr (C == Cmp::Eq)
    return a == b;
  else if constexpr (C == Cmp::Ne && std::is_floating_point_v<T>)
    return a < b || a > b;
  else if constexpr (C == Cmp::Ne)
    return a != b;
  else if constexpr (C == Cmp::Lt)
    return a < b;
  else if constexpr (C == Cmp::Le)
    return a <= b;
  else if constexpr (C == Cmp::Gt)
    return a > b;
  else if constexpr (C == Cmp::Ge)
    return a >= b;
  else if constexpr (C == Cmp::Equ)
    return !(a < b || a > b);
  else if constexpr (C == Cmp::Neu)
    return !(a == b);
  else if constexpr (C == Cmp::Ltu)
    return !(a >= b);
  else if constexpr (C == Cmp::Leu)
    return !(a > b);
  else if constexpr (C == Cmp::Gtu)
    return !(a <= b);
  else if constexpr (C == Cmp::Geu)
    return !(a < b);
  else if constexpr (C == Cmp::Num)
    return a == a && b == b;
  else
    return !(a == a && b == b);
}

// How a lane is read for a comparison: `Lane` is the lane's type, value() what is compared, a `Value`.
// kPlain: the lane's bits already are the value.
template <class T>
struct AsInt {
  using Lane = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  using Value = std::conditional_t<sizeof(T) == 8, T,
                                   std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;
  static constexpr bool kPlain = sizeof(T) >= 4;
  static Value value(Lane x) { return static_cast<T>(x); }
};
template <bool kFtz>
struct AsF32 {
  using Lane = float;
  using Value = float;
  static constexpr bool kPlain = !kFtz;
  static float value(float x) { return flushed<kFtz>(x); }
};
struct AsF64 {
  using Lane = double;
  using Value = double;
  static constexpr bool kPlain = true;
  static double value(double x) { return x; }
};
// A 16-bit float in the low or high half of the lane.
template <class H, bool kFtz, bool kHigh>
struct AsHalf {
  using Lane = std::uint32_t;
  using Value = float;
  static constexpr bool kPlain = false;
  static float value(std::uint32_t x) {
    std::uint32_t h = kHigh ? x >> 16 : x & 0xffffu;
    if constexpr (kFtz) h = flush<typename H::Fmt>(h);
    return H::widen(h);
  }
};

template <class Fmt, class Bits>
inline bool test_property(Bits b, ptx::TestpOp test) {
  const std::uint64_t m = b & (Fmt::sign - 1);
  switch (test) {
    case ptx::TestpOp::Finite:
      return m < Fmt::inf;
    case ptx::TestpOp::Infinite:
      return m == Fmt::inf;
    case ptx::TestpOp::Number:
      return m <= Fmt::inf;
    case ptx::TestpOp::NotANumber:
      return m > Fmt::inf;
    case ptx::TestpOp::Normal:
      return m == 0 || (m >= Fmt::min_normal && m < Fmt::inf);  // silicon counts zero
    case ptx::TestpOp::Subnormal:
      return m != 0 && m < Fmt::min_normal;
  }
  return false;
}

}  // namespace heddle::exec::alu
