// The Merged Table of a router: packets that are held there, by the DRAM row that their requests ask for. The
// Scheduler takes out the one whose time is over first.
#pragma once

#include <cstdint>
#include <vector>

#include "noc/packet_merger.h"
#include "sim/time.h"

namespace heddle::packet_coalescing {

class MergedTable {
 public:
  using Tick = noc::PacketMerger::Tick;
  using Index = noc::PacketMerger::Index;
  struct Entry {
    std::uint64_t row = 0;
    Tick due = 0;             // the earliest deadline of those in it
    std::uint64_t order = 0;  // of coming: the earlier of two that are due together
    Tick since_sum = 0;       // when its requests came, summed
    Index packet = noc::PacketMerger::kNone;
    std::uint32_t requests = 0;
  };
  explicit MergedTable(std::uint32_t entries) : entries_(entries) {}

  // The oldest entry of that row with room for `requests` more; nullptr: none.
  Entry* find(std::uint64_t row, std::uint32_t requests, std::uint32_t most);
  bool full() const { return held_.size() == entries_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(held_.size()); }
  void add(std::uint64_t row, Index packet, std::uint32_t requests, Tick since, Tick due);
  static void join(Entry& e, std::uint32_t requests, Tick since, Tick due);

  // The Scheduler: of the entry that is due first.
  Tick due() const { return held_.empty() ? sim::kNever : held_[first_].due; }
  const Entry& first() const { return held_[first_]; }
  void remove_first();
  void find_first();  // after a deadline has changed

 private:
  std::uint32_t entries_;
  std::vector<Entry> held_;  // in the order of coming
  std::size_t first_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace heddle::packet_coalescing
