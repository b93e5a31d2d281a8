// Checked access to every state space, 32 lanes at a time.
#pragma once

#include <algorithm>
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

// The addresses of an access at a glance. Lanes that do not take part have been given the address of one
// that does, so all 32 count.
struct Shape {
  std::uint64_t lowest = 0, highest = 0;
  std::uint64_t bits = 0;   // of all addresses together: shows misalignment
  bool contiguous = false;  // lane i at lowest + i * bytes, all lanes active
  bool uniform() const { return lowest == highest; }
};

// Eight 64-bit lanes: what compilers turn into the host's vectors, better than loops with several reductions.
typedef std::uint64_t AddressVector __attribute__((vector_size(64)));
static_assert(kLanes == 32);

inline std::uint64_t or_all(const AddressVector& v) {
  return (v[0] | v[1]) | (v[2] | v[3]) | (v[4] | v[5]) | (v[6] | v[7]);
}

inline Shape shape_of(const std::uint64_t* addresses, Mask active, std::uint32_t bytes) {
  const auto* a = reinterpret_cast<const AddressVector*>(addresses);
  const std::uint64_t first = addresses[0];
  const AddressVector lane = {0, 1, 2, 3, 4, 5, 6, 7};
  AddressVector expected = lane * bytes + first;
  AddressVector differs = a[0] ^ first, steps = a[0] ^ expected;
  for (int k = 1; k < 4; ++k) {
    expected += std::uint64_t{8} * bytes;
    differs |= a[k] ^ first;
    steps |= a[k] ^ expected;
  }
  if (active == kAllLanes && or_all(steps) == 0)
    return {first, first + 31 * std::uint64_t{bytes}, first, true};
  if (or_all(differs) == 0) return {first, first, first, false};
  AddressVector low = a[0], high = a[0], bits = a[0];
  for (int k = 1; k < 4; ++k) {
    low = a[k] < low ? a[k] : low;
    high = a[k] > high ? a[k] : high;
    bits |= a[k];
  }
  Shape s{low[0], high[0], or_all(bits), false};
  for (int i = 1; i < 8; ++i) {
    s.lowest = low[i] < s.lowest ? low[i] : s.lowest;
    s.highest = high[i] > s.highest ? high[i] : s.highest;
  }
  return s;
}

// Gives lanes outside `active` the address of an active one.
inline void fill_inactive(std::uint64_t* a, Mask active) {
  if (active == kAllLanes) return;
  const std::uint64_t first = a[__builtin_ctz(active)];
  const std::uint64_t* const bit = kLaneBits<std::uint64_t>.bit;
  const std::uint64_t m = active;
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) a[i] = (m & bit[i]) != 0 ? a[i] : first;
}

// Stops the kernel: which instruction, thread, address, and what lies near it.
[[noreturn]] void fault(Warp& warp, const Code& code, int lane, std::uint64_t address, const char* what);

// Global and constant memory, when the quick check of the remembered allocation failed: looks every lane
// up, remembers the last allocation, throws Error for out-of-bounds, misaligned, null, read-only.
void check_global_lanes(Warp& warp, const Code& code, Mask active, Bounds& bounds);
// Shared, local and parameter memory, when the quick check failed.
[[noreturn]] void report_small_space(Warp& warp, const Code& code, Mask active, std::uint64_t span);

// Accounts lines, sectors or bank passes of warp.access() to the instruction.
void count_access(Warp& warp, const Code& code, const Shape& shape);

inline Region small_space(Warp& warp, const Code& code, Mask active, const Shape& shape, std::byte* data,
                          std::uint64_t limit, std::size_t stride) {
  const std::uint32_t bytes = warp.access().bytes;
  const std::uint64_t span = limit >= bytes ? limit - bytes + 1 : 0;
  if (shape.highest >= span || (shape.bits & (bytes - 1)) != 0) [[unlikely]]
    report_small_space(warp, code, active, span);
  return {reinterpret_cast<std::uintptr_t>(data), stride};
}

// Checks the addresses in warp.access() for its space (not Generic) and returns where they are.
inline Region check_access(Warp& warp, const Code& code, Mask active, const Shape& shape) {
  ExecContext& context = warp.context();
  switch (warp.access().space) {
    case ptx::Space::Shared:
      return small_space(warp, code, active, shape, warp.cta().shared.data(), warp.cta().shared.size(), 0);
    case ptx::Space::Local:
      return small_space(warp, code, active, shape, warp.local(0), warp.local_bytes(), warp.local_bytes());
    case ptx::Space::Param:
      return small_space(warp, code, active, shape, context.params.data(), context.params.size(), 0);
    default:
      break;
  }
  Bounds& bounds = context.bounds[static_cast<std::size_t>(&code - warp.image().code.data())];
  const bool inside = shape.lowest - bounds.begin < bounds.span && shape.highest - bounds.begin < bounds.span;
  if (!inside || (shape.bits & (warp.access().bytes - 1)) != 0) [[unlikely]]
    check_global_lanes(warp, code, active, bounds);
  return {context.global, 0};
}

// Runs `body(region, lanes, shape)` for the lanes of the access set up in warp.access() (addresses, bytes,
// mask, space): once, or for a generic access once per space that its lanes point into.
template <class Body>
inline void with_regions(Warp& warp, const Code& code, Mask active, Body&& body) {
  Access& access = warp.access();
  auto run = [&](Mask lanes) {
    const Shape shape = shape_of(access.address.data(), lanes, access.bytes);
    const Region region = check_access(warp, code, lanes, shape);
    body(region, lanes, shape);
    if (warp.context().count_accesses) count_access(warp, code, shape);
  };
  if (access.space != ptx::Space::Generic) [[likely]] {
    fill_inactive(access.address.data(), active);
    run(active);
    return;
  }
  const std::array<std::uint64_t, kLanes> given = access.address;
  const auto window = [](std::uint64_t a) {
    return a >= mem::kSharedWindow && a < mem::kFunctionWindow ? a & ~(mem::kWindowBytes - 1) : 0;
  };
  for (Mask left = active; left != 0;) {
    const std::uint64_t base = window(given[static_cast<unsigned>(__builtin_ctz(left))]);
    Mask group = 0;
    for (Mask m = left; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(m));
      if (window(given[lane]) != base) continue;
      group |= 1u << lane;
      access.address[lane] = given[lane] - base;
    }
    access.space = base == mem::kSharedWindow  ? ptx::Space::Shared
                   : base == mem::kLocalWindow ? ptx::Space::Local
                   : base == mem::kParamWindow ? ptx::Space::Param
                                               : ptx::Space::Global;
    access.mask = group;
    fill_inactive(access.address.data(), group);
    run(group);
    if (group != active && warp.context().log != nullptr) warp.add_part(access);
    left &= ~group;
  }
  access.mask = active;
}

}  // namespace heddle::exec
