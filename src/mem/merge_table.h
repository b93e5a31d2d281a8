// Merge: n requests, one fetch, n answers. The one table behind intra-warp coalescing tags, MSHRs at every
// cache, the intra-cluster merge table and an L2 request coalescer.
//
// An entry stands for one key (a line, a row) under way. Waiters are tokens of the level above, with the
// sectors each of them wants; with sectors, a follower takes the overlap and a residual request fetches the
// rest, so an entry knows which sectors have been asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/request.h"

namespace heddle::mem {

struct Waiter {
  std::uint32_t token = kNoToken;
  std::uint16_t sm = 0;
  SectorMask wants = 0;
  SectorMask missing = 0;  // of what it wants, not yet arrived
};

template <class Key, class W = Waiter>
class MergeTable {
 public:
  // `waiters`: the most per entry, the first one included.
  MergeTable(std::uint32_t entries, std::uint32_t waiters);

  using Entry = std::uint32_t;
  static constexpr Entry kNone = ~0u;

  Entry find(const Key& key) const;
  bool full() const { return used_ == limit_; }
  std::uint32_t used() const { return used_; }
  bool can_join(Entry e) const;
  // Both need room: !full(), can_join().
  Entry open(const Key& key, const W& first, SectorMask requested);
  // Returns the sectors that nobody has asked for yet: the residual request (0: merged completely).
  SectorMask join(Entry e, const W& waiter);

  const Key& key(Entry e) const;
  SectorMask requested(Entry e) const;
  std::uint32_t waiters(Entry e) const;
  // Sectors arrived: calls done(waiter) for every waiter whose last missing sector is among them, in the
  // order of joining, and drops it. Closes the entry when no waiter is left; returns whether it did.
  template <class F>
  bool arrive(Entry e, SectorMask sectors, F&& done);
};

}  // namespace heddle::mem
