// What an L1 with a prefetcher keeps beside its tags and MSHRs: which lines were prefetched and not read
// since, on their way and there; and how the prefetcher hears of events. An L1 without one has none of this.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cache/prefetcher.h"
#include "cache/tag_store.h"

namespace heddle::cache {

class L1Prefetch {
 public:
  using Mask = mem::SectorMask;
  using Way = TagStore::Way;
  using Entry = std::uint32_t;  // an MSHR
  L1Prefetch(std::unique_ptr<Prefetcher> prefetcher, std::uint32_t mshrs, std::uint32_t ways)
      : prefetcher_(std::move(prefetcher)), under_way_(mshrs), unread_(ways) {}

  // ---- events

  void hit(sim::Cycle now, const mem::Request& r, Way w);
  // A read that lacks `missing` waits in `e`, perhaps opened for it; `w`: where the line lay before, if it
  // did.
  void miss(sim::Cycle now, const mem::Request& r, Way w, Entry e, Mask missing);
  // The reply to a request for `e` came, and `kept` of its sectors are now in `w` (kNone: none).
  void filled(sim::Cycle now, const mem::Request& reply, Entry e, Way w, Mask kept);
  void evicted(Way w, std::uint64_t line);
  void dropped(Way w, Mask still_valid);
  void flushed();

  // ---- requests of its own

  void sent(Entry e, Mask asked, bool global);
  // Whether one of these waits in `e`, in a place that is not among those for readers.
  bool waits(Entry e) const { return under_way_[e].waits; }
  bool unread(Way w) const { return unread_[w] != 0; }
  // What was wished for since clear().
  Wishes& wishes() { return wishes_; }
  const Wishes& wishes() const { return wishes_; }

  const Prefetcher& prefetcher() const { return *prefetcher_; }
  PrefetchStats& statistics() { return stats_; }
  const PrefetchStats& statistics() const { return stats_; }
  void clear_statistics();

 private:
  struct UnderWay {
    Mask unread = 0;     // asked for, and no demand has come for them
    bool waits = false;  // not answered
  };
  // A line that was prefetched leaves the state "not read".
  void settle(Way w, std::uint64_t& as) {
    unread_[w] = 0;
    --stats_.left;
    ++as;
  }
  Met first_use(Way w, Mask wanted);

  std::unique_ptr<Prefetcher> prefetcher_;
  std::vector<UnderWay> under_way_;  // by MSHR
  std::vector<Mask> unread_;         // by way: sectors that a prefetch brought; 0 once one of them was read
  Wishes wishes_;
  PrefetchStats stats_;
};

}  // namespace heddle::cache
