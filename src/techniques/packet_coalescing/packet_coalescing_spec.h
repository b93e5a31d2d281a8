// The parameters of packet coalescing, and what it counts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "config/reader.h"
#include "mem/structure.h"
#include "noc/packet_merger.h"
#include "stats/visitor.h"

namespace heddle::packet_coalescing {

enum class Hold : std::uint8_t {
  Fixed,    // as long at every router
  Dynamic,  // longer, the nearer the controller is; as long in all
  Slack     // as dynamic, but no longer than ready warps hide, and where another packet is likely to come
};

struct PacketCoalescingSpec {
  Hold hold = Hold::Dynamic;
  std::uint32_t delay_per_hop = 5;  // network cycles (Fixed Delay per Hop)
  bool merge = true;                // false: packets wait in their queues, and go on alone
  bool join_expired = false;   // packets whose time is over, and that have no room yet, take others along
  std::uint32_t entries = 32;  // of a router's Merged Table
  std::uint32_t most_requests = 32;  // of a big packet
  Bytes request{8};                  // of each request in a big packet
  bool hold_grant = true;            // the Grant Holder
  // Hold::Slack
  std::uint32_t warp_cycles = 4;      // network cycles that a ready warp hides
  std::uint32_t history_window = 32;  // network cycles within which a row must be asked for again
  std::uint32_t history_least = 2;    // of 3: from which count on packets are held
  void fields(config::Reader& r);
  std::vector<mem::Storage> storage(const noc::MergerPlace& place) const;
  mem::Structure hardware(const noc::MergerPlace& place) const;

 private:
  struct Widths {  // bits
    std::uint32_t key, state, request, history;
  };
  Widths widths(const noc::MergerPlace& place) const;
};

// Requests unless something else is said.
struct PacketCoalescingStats {
  std::uint64_t reads = 0;      // that entered the network
  std::uint64_t unpacked = 0;   // that left it, by themselves or out of a big packet
  std::uint64_t coalesced = 0;  // of these, out of a big packet
  std::uint64_t packets = 0;    // packets that the unpacked ones came in
  std::uint64_t big_packets = 0;
  std::uint64_t global_reads = 0, global_packets = 0;  // of loads from global memory; packets with any
  std::uint64_t held = 0;                              // packets x routers that held them
  std::uint64_t joined = 0;                            // of these, went with one that was there
  std::uint64_t table_full = 0;                        // packets x routers that would have
  std::uint64_t unlikely = 0;                          // Hold::Slack: not held, for the row's history
  std::uint64_t held_ticks = 0;                        // requests x network cycles, with the following
  std::uint64_t overdue_ticks = 0;                     // that they waited for room when their time was over
  std::uint64_t peak = 0;                              // entries of a table
  void statistics(stats::Visitor& v);
};
inline constexpr const char* kGroup = "packet_coalescing";

}  // namespace heddle::packet_coalescing
