// Sets of warps: a bit per warp context of an SM.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::sm {

using WarpMask = std::uint64_t;
inline constexpr int kMaxWarps = 64;

constexpr WarpMask bit(unsigned warp) {
  return WarpMask{1} << warp;
}
// The lowest warp of a set that is not empty.
constexpr unsigned first(WarpMask warps) {
  return static_cast<unsigned>(std::countr_zero(warps));
}

}  // namespace heddle::sm
