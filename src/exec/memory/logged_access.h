// Global memory under timing: loads see this SM's stores of the window, stores go to its log, and lines with
// an atomic of this SM under way are left alone.
#pragma once

#include "exec/memory/atomic_records.h"
#include "exec/memory/memory_access.h"
#include "mem/store_log.h"

namespace heddle::exec {

inline constexpr std::size_t kMostBytes = 32;  // of a lane's access: four elements of 8

// Whether lanes of warp.access() (addresses as given, generic or global) may touch such a line. A load or
// store of memory must wait then, and has the next turn.
bool any_awaits_atomic(const Warp& warp, AtomicRecords& atomics, const Access& access, Mask active);
inline bool awaits_atomic(Warp& warp, Mask active) {
  AtomicRecords& atomics = *warp.context().atomics;
  return atomics.any() && any_awaits_atomic(warp, atomics, warp.access(), active);
}
// The other way round: an atomic of warp.access() must let a load or store go first.
bool is_awaited(Warp& warp, Mask active);

// Whether the log may hold bytes of the access.
inline bool may_touch(const mem::StoreLog& log, const Access& access, Mask lanes, const Shape& shape) {
  if (log.empty()) return false;
  if (shape.contiguous) return log.may_touch(shape.lowest, kLanes * access.bytes);
  if (shape.uniform()) return log.may_touch(shape.lowest, access.bytes);
  for (Mask m = lanes; m != 0; m &= m - 1)
    if (log.may_touch(access.address[static_cast<unsigned>(__builtin_ctz(m))], access.bytes)) return true;
  return false;
}

// What lanes see, lane after lane, each access.bytes long.
void read_logged(const mem::StoreLog& log, const Access& access, const Region& region, Mask lanes,
                 const Shape& shape, std::byte* data);
// `data` as above; lanes in order, so that of those which write the same place the highest stays.
void append_lanes(mem::StoreLog& log, const Access& access, Mask lanes, const std::byte* data);

}  // namespace heddle::exec
