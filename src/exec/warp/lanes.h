// Loops over the 32 lanes of a warp, written so that the compiler vectorises them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "exec/image/code.h"

namespace heddle::exec {

#if defined(__clang__)
#define HEDDLE_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEDDLE_LANE_LOOP _Pragma("GCC ivdep")
#endif

// Bit i of a mask as a lane vector of T's size: testing a lane is then one vector instruction.
template <class T>
struct LaneBits {
  alignas(64) T bit[kLanes];
  constexpr LaneBits() : bit{} {
    for (int i = 0; i < kLanes; ++i) bit[i] = static_cast<T>(std::uint32_t{1} << i);
  }
};
template <std::size_t Bytes>
struct LaneInteger;
template <>
struct LaneInteger<4> {
  using type = std::uint32_t;
};
template <>
struct LaneInteger<8> {
  using type = std::uint64_t;
};
template <class U>
inline constexpr LaneBits<U> kLaneBits{};

// d[i] = mask bit i ? s[i] : d[i]. On bits: of a choice compilers may make a branch around the store.
template <class T>
inline void blend(T* __restrict d, const T* __restrict s, Mask mask) {
  using U = typename LaneInteger<sizeof(T)>::type;
  const U* const bit = kLaneBits<U>.bit;
  const U m = mask;
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    const U taken = (m & bit[i]) != 0 ? ~U{0} : U{0};
    d[i] = std::bit_cast<T>((std::bit_cast<U>(s[i]) & taken) | (std::bit_cast<U>(d[i]) & ~taken));
  }
}

// d[i] = f(i) for active lanes. `d` may be the same vector as one that f reads, never a shifted one.
template <class T, class F>
inline void write_lanes(T* d, Mask active, F&& f) {
  if (active == kAllLanes) [[likely]] {
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) d[i] = f(i);
  } else {
    T t[kLanes];
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) t[i] = f(i);
    blend(d, t, active);
  }
}

}  // namespace heddle::exec
