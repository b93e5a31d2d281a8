#include "exec/memory/logged_access.h"

#include <bit>
#include <cstring>

namespace heddle::exec {

bool any_awaits_atomic(const Warp& warp, AtomicRecords& atomics, const Access& access, Mask active) {
  bool waits = false;
  for (Mask m = active; m != 0; m &= m - 1) {
    const std::uint64_t a = access.address[static_cast<unsigned>(std::countr_zero(m))];
    if (a >= mem::kSharedWindow || !atomics.may_touch(a)) continue;
    atomics.await(warp, a);
    waits = true;
  }
  return waits;
}

bool is_awaited(Warp& warp, Mask active) {
  const AtomicRecords& atomics = *warp.context().atomics;
  if (!atomics.any_awaited()) return false;
  for (Mask m = active; m != 0; m &= m - 1)
    if (atomics.awaited_by_others(warp, warp.access().address[static_cast<unsigned>(std::countr_zero(m))]))
      return true;
  return false;
}

void read_logged(const mem::StoreLog& log, const Access& access, const Region& region, Mask lanes,
                 const Shape& shape, std::byte* data) {
  const std::uint32_t bytes = access.bytes;
  if (shape.contiguous) {
    std::memcpy(data, reinterpret_cast<const void*>(region.bias + shape.lowest), kLanes * bytes);
    log.overlay(shape.lowest, data, kLanes * bytes);
    return;
  }
  for (Mask m = lanes; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    const std::uint64_t a = access.address[i];
    std::memcpy(data + i * bytes, reinterpret_cast<const void*>(region.bias + a), bytes);
    log.overlay(a, data + i * bytes, bytes);
  }
}

// Neighbouring lanes at neighbouring addresses make one entry.
void append_lanes(mem::StoreLog& log, const Access& access, Mask lanes, const std::byte* data) {
  const std::uint32_t bytes = access.bytes;
  for (Mask m = lanes; m != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(m));
    unsigned last = first;
    while (last + 1 < kLanes && (m >> (last + 1) & 1) != 0 &&
           access.address[last + 1] == access.address[last] + bytes)
      ++last;
    log.append(access.address[first], data + first * bytes, (last - first + 1) * bytes);
    m = last + 1 < kLanes ? m & (~Mask{0} << (last + 1)) : 0;
  }
}

}  // namespace heddle::exec
