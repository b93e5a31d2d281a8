// Merge: n requests, one fetch, n answers. The one table behind intra-warp coalescing tags, MSHRs at every
// cache, the intra-cluster merge table and an L2 request coalescer.
//
// An entry stands for one key (a line, a row) under way. Waiters are tokens of the level above, with the
// sectors each of them wants; with sectors, a follower takes the overlap and a residual request fetches the
// rest, so an entry knows which sectors have been asked for.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "mem/probe_index.h"
#include "mem/request.h"

namespace heddle::mem {

struct Waiter {
  std::uint32_t token = kNoToken;
  std::uint16_t sm = 0;
  SectorMask wants = 0;
  SectorMask missing = 0;  // of what it wants, not yet arrived; not 0 when it is put into a table
};

// Key: anything with operator== and a Hash. W: anything with a SectorMask `missing`. Entries keep their
// number while they are open, so it may serve as the token sent down. Room for waiters grows with use: a
// limit that is never reached costs nothing.
template <class Key, class W = Waiter, class Hash = MixHash>
class MergeTable {
 public:
  // `waiters`: the most per entry, the first one included. Both at least 1.
  MergeTable(std::uint32_t entries, std::uint32_t waiters)
      : limit_(entries),
        most_waiters_(waiters),
        entries_(entries),
        chain_(std::size_t{entries} * std::min(waiters, kWaitersAtFirst)),
        index_(entries) {
    assert(entries > 0 && waiters > 0 && std::uint64_t{entries} * waiters < kNone);
    clear();
  }

  using Entry = std::uint32_t;
  static constexpr Entry kNone = ~0u;

  Entry find(const Key& key) const {
    return index_.find(hash_(key), [&](Entry e) { return entries_[e].key == key; });
  }
  bool full() const { return used_ == limit_; }
  std::uint32_t used() const { return used_; }
  std::uint32_t limit() const { return limit_; }
  bool can_join(Entry e) const { return entries_[e].count < most_waiters_; }

  // Both need room: !full(), can_join(). `requested`: what is asked for on behalf of the first waiter, at
  // least what it misses.
  Entry open(const Key& key, const W& first, SectorMask requested) {
    assert(!full() && (first.missing & ~requested) == 0);
    const Entry e = free_entry_;
    Record& s = entries_[e];
    free_entry_ = s.first;
    ++used_;
    s.key = key;
    s.requested = requested;
    s.count = 0;
    s.first = s.last = kNone;
    s.found = true;
    index_.insert(hash_(key), e);
    append(s, first);
    return e;
  }
  // Returns the sectors that nobody has asked for yet: the residual request (0: merged completely).
  SectorMask join(Entry e, const W& waiter) {
    assert(can_join(e));
    Record& s = entries_[e];
    const auto residual = static_cast<SectorMask>(waiter.missing & ~s.requested);
    s.requested = static_cast<SectorMask>(s.requested | residual);
    append(s, waiter);
    return residual;
  }

  // Sectors of the entry's key that are asked for although nobody waits for them yet. They must come together
  // with sectors that a waiter misses: an entry closes with its last waiter.
  void ask_also(Entry e, SectorMask more) {
    entries_[e].requested = static_cast<SectorMask>(entries_[e].requested | more);
  }

  // The entry takes no more waiters: find() does not return it any longer, and its key may be opened again.
  // Arrivals still reach it by its number.
  void detach(Entry e) {
    if (!entries_[e].found) return;
    entries_[e].found = false;
    index_.erase(hash_(entries_[e].key), e, [&](Entry other) { return hash_(entries_[other].key); });
  }

  const Key& key(Entry e) const { return entries_[e].key; }
  // Asked for and not yet arrived.
  SectorMask requested(Entry e) const { return entries_[e].requested; }
  std::uint32_t waiters(Entry e) const { return entries_[e].count; }

  // f(waiter), in the order of joining.
  template <class F>
  void for_each_waiter(Entry e, F&& f) const {
    for (std::uint32_t i = entries_[e].first; i != kNone; i = chain_[i].next) f(chain_[i].waiter);
  }
  // f(entry), ascending; for reports and checks.
  template <class F>
  void for_each(F&& f) const {
    for (Entry e = 0; e < limit_; ++e) {
      if (entries_[e].count != 0) f(e);
    }
  }

  // Sectors arrived: calls done(waiter) for every waiter whose last missing sector is among them, in the
  // order of joining, and drops it. Closes the entry when no waiter is left; returns whether it did. done()
  // must not call the table.
  template <class F>
  bool arrive(Entry e, SectorMask sectors, F&& done) {
    Record& s = entries_[e];
    s.requested = static_cast<SectorMask>(s.requested & ~sectors);
    std::uint32_t before = kNone;
    for (std::uint32_t i = s.first; i != kNone;) {
      Link& link = chain_[i];
      const std::uint32_t next = link.next;
      link.waiter.missing = static_cast<SectorMask>(link.waiter.missing & ~sectors);
      if (link.waiter.missing != 0) {
        before = i;
      } else {
        (before == kNone ? s.first : chain_[before].next) = next;
        if (next == kNone) s.last = before;
        --s.count;
        done(static_cast<const W&>(link.waiter));
        link.next = free_link_;
        free_link_ = i;
      }
      i = next;
    }
    if (s.count != 0) return false;
    detach(e);
    s.first = free_entry_;
    free_entry_ = e;
    --used_;
    return true;
  }

  // Forgets everything.
  void clear() {
    for (Entry e = 0; e < limit_; ++e) {
      entries_[e].count = 0;
      entries_[e].first = e + 1 < limit_ ? e + 1 : kNone;
    }
    free_entry_ = 0;
    free_links(0);
    used_ = 0;
    index_.clear();
  }

 private:
  struct Record {
    Key key{};
    std::uint32_t first = kNone, last = kNone;  // of its waiters; a free entry's `first`: the next free one
    std::uint32_t count = 0;
    SectorMask requested = 0;
    bool found = false;  // by find()
  };
  struct Link {
    W waiter{};
    std::uint32_t next = kNone;
  };

  static constexpr std::uint32_t kWaitersAtFirst = 1;  // per entry

  // Links from `from` on become the free ones.
  void free_links(std::uint32_t from) {
    const auto links = static_cast<std::uint32_t>(chain_.size());
    for (std::uint32_t i = from; i < links; ++i) chain_[i].next = i + 1 < links ? i + 1 : kNone;
    free_link_ = from;
  }
  void grow() {
    const std::size_t before = chain_.size();
    chain_.resize(std::min(2 * before, std::size_t{limit_} * most_waiters_));
    free_links(static_cast<std::uint32_t>(before));
  }

  void append(Record& s, const W& waiter) {
    assert(waiter.missing != 0);
    if (free_link_ == kNone) grow();
    const std::uint32_t i = free_link_;
    Link& link = chain_[i];
    free_link_ = link.next;
    link.waiter = waiter;
    link.next = kNone;
    (s.last == kNone ? s.first : chain_[s.last].next) = i;
    s.last = i;
    ++s.count;
  }

  std::uint32_t limit_, most_waiters_;
  std::uint32_t used_ = 0;
  Entry free_entry_ = 0;
  std::uint32_t free_link_ = 0;
  std::vector<Record> entries_;
  std::vector<Link> chain_;
  ProbeIndex index_;
  [[no_unique_address]] Hash hash_;
};

}  // namespace heddle::mem
