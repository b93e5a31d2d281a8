// Keys (lines, rows) that were asked for at one place within the last `window` cycles, or whose answer is
// still to come. Exact; what is older is dropped when time has moved on, so the memory it takes is bounded by
// what can be asked for in a window. Times never decrease from call to call.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "mem/probe_index.h"
#include "sim/time.h"

namespace heddle::mem {

// Mark: what else is known about a key.
template <class Mark>
class RecentKeys {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry kNone = ~0u;

  explicit RecentKeys(sim::Cycle window) : window_(window), index_(kAtFirst) { entries_.reserve(kAtFirst); }

  // Asked for at most `window` cycles before `now`, or under way; kNone: neither.
  Entry find(sim::Cycle now, std::uint64_t key) {
    drop_old(now);
    return lookup(key);
  }
  // A key that find() did not find.
  Entry add(sim::Cycle now, std::uint64_t key) {
    const Entry e = take();
    entries_[e].key = key;
    index_.insert(hash_(key), e);
    append(e, now);
    ++used_;
    return e;
  }
  // Asked for again.
  void touch(Entry e, sim::Cycle now) {
    if (entries_[e].listed) unlink(e);
    append(e, now);
  }

  Mark& mark(Entry e) { return entries_[e].mark; }
  sim::Cycle last(Entry e) const { return entries_[e].last; }

  void sent(Entry e) { ++entries_[e].under_way; }
  // One of the requests for `key` that were sent() has been answered.
  void answered(std::uint64_t key) {
    const Entry e = lookup(key);
    assert(e != kNone && entries_[e].under_way != 0);
    if (--entries_[e].under_way == 0 && !entries_[e].listed) drop(e);
  }

  std::uint32_t used() const { return used_; }
  sim::Cycle window() const { return window_; }

 private:
  struct Record {
    std::uint64_t key = 0;
    sim::Cycle last = 0;
    Entry older = kNone, newer = kNone;  // in the list; a free one's `newer`: the next free one
    std::uint32_t under_way = 0;
    bool listed = false;  // false: older than the window, kept because it is under way
    Mark mark{};
  };
  static constexpr std::uint32_t kAtFirst = 64;

  Entry lookup(std::uint64_t key) const {
    return index_.find(hash_(key), [&](Entry e) { return entries_[e].key == key; });
  }
  void drop_old(sim::Cycle now) {
    while (oldest_ != kNone && now - entries_[oldest_].last > window_) {
      const Entry e = oldest_;
      unlink(e);
      if (entries_[e].under_way == 0) drop(e);
    }
  }
  void drop(Entry e) {
    index_.erase(hash_(entries_[e].key), e, [&](Entry other) { return hash_(entries_[other].key); });
    entries_[e].newer = free_;
    free_ = e;
    --used_;
  }
  Entry take() {
    Entry e = free_;
    if (e != kNone) {
      free_ = entries_[e].newer;
      entries_[e] = {};
      return e;
    }
    e = static_cast<Entry>(entries_.size());
    if (e != 0 && e % kAtFirst == 0 && (e & (e - 1)) == 0) {  // the index is full: one of twice the size
      index_ = ProbeIndex(2 * e);
      for (Entry other = 0; other < e; ++other) index_.insert(hash_(entries_[other].key), other);
    }
    entries_.emplace_back();
    return e;
  }
  void append(Entry e, sim::Cycle now) {
    Record& s = entries_[e];
    s.last = now;
    s.older = newest_;
    s.newer = kNone;
    s.listed = true;
    (newest_ == kNone ? oldest_ : entries_[newest_].newer) = e;
    newest_ = e;
  }
  void unlink(Entry e) {
    Record& s = entries_[e];
    (s.older == kNone ? oldest_ : entries_[s.older].newer) = s.newer;
    (s.newer == kNone ? newest_ : entries_[s.newer].older) = s.older;
    s.listed = false;
  }

  sim::Cycle window_;
  std::vector<Record> entries_;
  ProbeIndex index_;
  Entry free_ = kNone, oldest_ = kNone, newest_ = kNone;
  std::uint32_t used_ = 0;
  MixHash hash_;
};

}  // namespace heddle::mem
