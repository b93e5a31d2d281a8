// Comparison of two lane vectors into one mask, with the compilers' vector types: left to themselves,
// compilers turn the reduction into branches.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "exec/image/code.h"
#include "ptx/ir/types.h"

namespace heddle::exec::alu {

#if defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <class T>
struct VectorOf {
  using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  typedef T Value __attribute__((vector_size(kVectorBytes)));
  typedef Bits Mask __attribute__((vector_size(kVectorBytes)));
  static constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(T));
};

// All ones where C holds. On floats <, <=, >, >=, == are false and != is true for NaN.
template <ptx::Cmp C, class V>
inline auto compare_vectors(V a, V b) {
  using ptx::Cmp;
  using T = std::remove_reference_t<decltype(a[0])>;
  if constexpr (C == Cmp::Eq)
    return a == b;
  else if constexpr (C == Cmp::Ne && std::is_floating_point_v<T>)
    return (a < b) | (a > b);
  else if constexpr (C == Cmp::Ne || C == Cmp::Neu)
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
    return ~((a < b) | (a > b));
  else if constexpr (C == Cmp::Ltu)
    return ~(a >= b);
  else if constexpr (C == Cmp::Leu)
    return ~(a > b);
  else if constexpr (C == Cmp::Gtu)
    return ~(a <= b);
  else if constexpr (C == Cmp::Geu)
    return ~(a < b);
  else if constexpr (C == Cmp::Num)
    return (a == a) & (b == b);
  else
    return ~((a == a) & (b == b));
}

template <ptx::Cmp C, class T>
inline Mask compare_mask(const T* a, const T* b) {
  using Of = VectorOf<T>;
  typename Of::Mask found{}, bit{};
  for (int k = 0; k < Of::kCount; ++k) bit[k] = typename Of::Bits{1} << k;
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; i += Of::kCount) {
    typename Of::Value x, y;
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    found |= compare_vectors<C>(x, y) & (bit << i);
  }
  Mask m = 0;
  for (int k = 0; k < Of::kCount; ++k) m |= static_cast<Mask>(found[k]);
  return m;
}

}  // namespace heddle::exec::alu
