// Checked access to every state space, 32 lanes at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "exec/warp/context.h"
#include "exec/warp/cta.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"

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
  std::uint32_t reach() const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(highest - lowest, workload::AccessShape::kUnknown));
  }
};

// Of the host's own width: of wider ones compilers make detours through memory.
#if defined(__AVX2__)
inline constexpr int kAddressesPerVector = 4;
#else
inline constexpr int kAddressesPerVector = 2;
#endif
typedef std::uint64_t AddressVector __attribute__((vector_size(8 * kAddressesPerVector)));
inline constexpr int kAddressVectors = kLanes / kAddressesPerVector;

inline std::uint64_t or_all(const AddressVector& v) {
  std::uint64_t all = v[0];
  for (int i = 1; i < kAddressesPerVector; ++i) all |= v[i];
  return all;
}

// Whether lane i is at first + i * stride for all lanes.
inline bool is_linear(const AddressVector* a, std::uint64_t first, std::uint64_t stride) {
  constexpr int kChains = 4;  // of additions, side by side
  static_assert(kAddressVectors % kChains == 0);
  AddressVector start = AddressVector{} + first;
  for (int i = 1; i < kAddressesPerVector; ++i) start[i] += static_cast<unsigned>(i) * stride;
  AddressVector expected[kChains] = {start}, differs[kChains];
  for (int c = 1; c < kChains; ++c) expected[c] = expected[c - 1] + kAddressesPerVector * stride;
  for (int c = 0; c < kChains; ++c) differs[c] = a[c] ^ expected[c];
  const std::uint64_t step = kChains * kAddressesPerVector * stride;
#pragma GCC unroll 8
  for (int k = kChains; k < kAddressVectors; k += kChains)
    for (int c = 0; c < kChains; ++c) {
      expected[c] += step;
      differs[c] |= a[k + c] ^ expected[c];
    }
  return or_all((differs[0] | differs[1]) | (differs[2] | differs[3])) == 0;
}

inline Shape scattered_shape(const AddressVector* a) {
  AddressVector low = a[0], high = a[0], bits = a[0];
#pragma GCC unroll 16
  for (int k = 1; k < kAddressVectors; ++k) {
    low = a[k] < low ? a[k] : low;
    high = a[k] > high ? a[k] : high;
    bits |= a[k];
  }
  Shape s{low[0], high[0], or_all(bits), false};
  for (int i = 1; i < kAddressesPerVector; ++i) {
    s.lowest = low[i] < s.lowest ? low[i] : s.lowest;
    s.highest = high[i] > s.highest ? high[i] : s.highest;
  }
  return s;
}

// Lane i at lane[i] + add = first + i * stride, and the way from the first to the last does not lead around
// the address space.
struct LinearAddresses {
  std::uint64_t first = 0, stride = 0;
  bool found = false;
  std::uint64_t last() const { return first + (kLanes - 1) * stride; }
  bool falls() const { return static_cast<std::int64_t>(stride) < 0; }
  std::uint64_t lowest() const { return falls() ? last() : first; }
  std::uint64_t highest() const { return falls() ? first : last(); }
};

inline LinearAddresses linear_addresses(const std::uint64_t* lane, std::uint64_t add = 0) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
  LinearAddresses line{lane[0] + add, lane[1] - lane[0]};
  line.found = line.lowest() <= line.highest() && line.stride + kFar <= 2 * kFar &&
               is_linear(reinterpret_cast<const AddressVector*>(lane), lane[0], line.stride);
  return line;
}

// Nearly all accesses are linear: neighbours, one address for all, a column of a matrix.
inline Shape shape_of(const std::uint64_t* addresses, Mask active, std::uint32_t bytes) {
  const LinearAddresses line = linear_addresses(addresses);
  if (!line.found) return scattered_shape(reinterpret_cast<const AddressVector*>(addresses));
  return {line.lowest(), line.highest(), line.first | line.stride,
          active == kAllLanes && line.stride == bytes};
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

// "thread (0,0,0) of CTA (1,0,0), warp 0 lane 0, in kernel 'k'"
std::string describe_thread(Warp& warp, int lane);
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

inline Bounds& bounds_of(Warp& warp, const Code& code) {
  return warp.context().bounds[static_cast<std::size_t>(&code - warp.image().code.data())];
}
inline bool within(const Bounds& bounds, std::uint64_t lowest, std::uint64_t highest) {
  return lowest - bounds.begin < bounds.span && highest - bounds.begin < bounds.span;
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
  Bounds& bounds = bounds_of(warp, code);
  const bool inside = within(bounds, shape.lowest, shape.highest);
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
    access.shape = {shape.reach(), shape.contiguous};
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
