// Checked access to every state space, 32 lanes at a time.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "exec/context.h"
#include "exec/cta.h"
#include "exec/lanes.h"
#include "exec/warp.h"

namespace heddle::exec {

// How the bytes of a lane's access are found in host memory: bias + address (+ lane * stride).
struct Region {
  std::uintptr_t bias = 0;
  std::size_t lane_stride = 0;  // local memory: each lane has its own
};

enum class Pattern : std::uint8_t { Scattered, Contiguous, Uniform };

// Stops the kernel: which instruction, thread, address, and what lies near it.
[[noreturn]] void fault(Warp& warp, const Code& code, int lane, std::uint64_t address, const char* what);

// Checks the addresses in warp.access() for `space` (not Generic) and returns where they are. Throws Error
// for out-of-bounds, misaligned, null, or a write to constant memory.
Region check_access(Warp& warp, const Code& code, Mask active, Pattern pattern);

// Accounts lines, sectors or bank passes of warp.access() to the instruction.
void count_access(Warp& warp, const Code& code, Pattern pattern);

inline Pattern classify(const std::uint64_t* a, Mask active, std::uint32_t bytes) {
  if (active != kAllLanes) return Pattern::Scattered;
  std::uint64_t contiguous = 0, uniform = 0;
  const std::uint64_t first = a[0];
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    uniform |= a[i] ^ first;
    contiguous |= a[i] ^ (first + static_cast<std::uint64_t>(i) * bytes);
  }
  return contiguous == 0 ? Pattern::Contiguous : uniform == 0 ? Pattern::Uniform : Pattern::Scattered;
}

// Runs `body(region, lanes, pattern)` for the lanes of the access set up in warp.access() (addresses, bytes,
// mask, space): once, or for a generic access once per space that its lanes point into.
template <class Body>
inline void with_regions(Warp& warp, const Code& code, Mask active, Body&& body) {
  Access& access = warp.access();
  if (access.space != ptx::Space::Generic) [[likely]] {
    const Pattern pattern = classify(access.address.data(), active, access.bytes);
    const Region region = check_access(warp, code, active, pattern);
    body(region, active, pattern);
    if (warp.context().count_accesses) count_access(warp, code, pattern);
    return;
  }
  const Mask all = active;
  while (active != 0) {
    const std::uint64_t first = access.address[static_cast<unsigned>(__builtin_ctz(active))];
    const auto window = [](std::uint64_t a) {
      return a >= mem::kSharedWindow && a < mem::kFunctionWindow ? a & ~(mem::kWindowBytes - 1) : 0;
    };
    const std::uint64_t base = window(first);
    Mask group = 0;
    for (Mask m = active; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(m));
      if (window(access.address[lane]) != base) continue;
      group |= 1u << lane;
      access.address[lane] -= base;
    }
    access.space = base == mem::kSharedWindow   ? ptx::Space::Shared
                   : base == mem::kLocalWindow  ? ptx::Space::Local
                   : base == mem::kParamWindow  ? ptx::Space::Param
                                                : ptx::Space::Global;
    access.mask = group;
    const Pattern pattern = classify(access.address.data(), group, access.bytes);
    const Region region = check_access(warp, code, group, pattern);
    body(region, group, pattern);
    if (warp.context().count_accesses) count_access(warp, code, pattern);
    active &= ~group;
  }
  access.mask = all;
}

}  // namespace heddle::exec
