// The Merged Table of a router: packets that are held there, by the DRAM row that their requests ask for. The
// Scheduler takes out the one whose time is over first.
#pragma once

#include <cstdint>
#include <optional>
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
    Tick due = 0;        // the earliest deadline of those in it
    Tick since_sum = 0;  // when its requests came, summed
    Index packet = noc::PacketMerger::kNone;
    std::uint32_t requests = 0;
  };
  explicit MergedTable(std::uint32_t entries) : entries_(entries) {}

  // The oldest entry of that row with room for `requests` more that is due at `from` or later; nullptr: none.
  Entry* find(std::uint64_t row, std::uint32_t requests, std::uint32_t most, Tick from);
  bool full() const { return held_.size() == entries_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(held_.size()); }
  void add(std::uint64_t row, Index packet, std::uint32_t requests, Tick since, Tick due);
  static void join(Entry& e, std::uint32_t requests, Tick since, Tick due);

  // The Scheduler: of the entries whose time is over at `now`, takes out the one with room that was due
  // first.
  std::optional<Entry> release(Tick now, const noc::PacketMerger::Exits& exits);
  // When the first is due of those that are due at `from` or later; sim::kNever: none.
  Tick due(Tick from) const;

 private:
  std::uint32_t entries_;
  std::vector<Entry> held_;  // in the order of coming
};

}  // namespace heddle::packet_coalescing
