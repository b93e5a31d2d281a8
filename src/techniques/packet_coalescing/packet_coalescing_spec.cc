#include "techniques/packet_coalescing/packet_coalescing_spec.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace heddle::packet_coalescing {

using config::range;

void PacketCoalescingSpec::fields(config::Reader& r) {
  r.choice("hold", hold,
           {{"fixed", Hold::Fixed, "delay_per_hop at every router"},
            {"dynamic", Hold::Dynamic,
             "of delay_per_hop x routers in all, one part at the first router, two at the second, and so on"},
            {"slack", Hold::Slack,
             "as dynamic, but in all no longer than the SM's ready warps hide, and only at routers that saw "
             "requests to a bank's row follow each other"}},
           "For how long a router holds a read request");
  r.field("delay_per_hop", delay_per_hop, range(0u, 1000u),
          "Network cycles: of every router (fixed), on average over a packet's routers (dynamic), at most "
          "on average (slack)");
  r.field(
      "merge", merge,
      "Whether requests that are held go together; without, they wait in their queues, and it is only the "
      "waiting that is measured");
  r.field("join_expired", join_expired,
          "Whether packets whose time is over, and whose next queue has no room, still take others along");
  r.field("entries", entries, range(1u, 4096u), "Merged Table of a router: packets that it holds");
  r.field("most_requests", most_requests, range(1u, 1024u), "Requests of a big packet");
  r.field("request", request, range(1_B, 256_B), "Bytes of each request in a big packet, header included");
  r.field("hold_grant", hold_grant, "Grant Holder: a big packet keeps the switch from flit to flit");
  r.field("warp_cycles", warp_cycles, range(1u, 1000u), "slack: network cycles that a ready warp hides");
  r.field("history_window", history_window, range(1u, 100000u),
          "slack: network cycles within which a request to a bank's last row counts as one that follows");
  r.field("history_least", history_least, range(0u, 3u),
          "slack: a router holds requests of a bank whose history (up with each that follows, down with each "
          "other row; 0 to 3) is at least this");
  if (hold != Hold::Slack)
    r.unused({"warp_cycles", "history_window", "history_least"}, "only hold = slack asks for it");
  if (!merge)
    r.unused({"join_expired", "entries", "most_requests", "request", "hold_grant"},
             "no packets are merged (merge = false)");
}

// An entry: the row's name (controller and bank, 14 bits of row), its deadline and slack (10 bits each), the
// size, and the requests themselves. A bank's history: the last row, when it was seen, a count.
PacketCoalescingSpec::Widths PacketCoalescingSpec::widths(const noc::MergerPlace& place) const {
  constexpr std::uint32_t kRow = 14, kTime = 10, kCount = 2;
  const auto bank = static_cast<std::uint32_t>(std::bit_width(std::max(1u, place.banks) - 1));
  const auto size = static_cast<std::uint32_t>(std::bit_width(most_requests));
  return {bank + kRow, 2 * kTime + size, static_cast<std::uint32_t>(request.count() * 8),
          kRow + kTime + kCount};
}

std::vector<mem::Storage> PacketCoalescingSpec::storage(const noc::MergerPlace& place) const {
  const Widths w = widths(place);
  const std::uint64_t entry = w.key + w.state, payload = std::uint64_t{most_requests} * w.request;
  std::vector<mem::Storage> all;
  if (!merge) return all;
  all.push_back({"Merged Table", fmt::format("{} x ({} + {}) bits", entries, entry, payload),
                 entries * (entry + payload)});
  if (hold == Hold::Slack)
    all.push_back({"history of banks", fmt::format("{} x {} bits", place.banks, w.history),
                   std::uint64_t{place.banks} * w.history});
  return all;
}

// A packet is sought at every router of its way; one that is held writes its request, and leaves later.
mem::Structure PacketCoalescingSpec::hardware(const noc::MergerPlace& place) const {
  mem::Structure all;
  if (!merge) return all;
  const Widths w = widths(place);
  const mem::Counts sought = {{"request_network.mesh.hops"}, {"request_network.mesh.packets"}};
  mem::TablePart table;
  table.what = "Merged Table";
  table.entries = entries;
  table.key_bits = w.key;
  table.other_bits = w.state;
  table.searches = sought;
  table.writes = {{"packet_coalescing.held"}};
  table.reads = {{"packet_coalescing.held"}, {"packet_coalescing.joined", -1}};
  all.tables.push_back(table);
  mem::ArrayPart requests;
  requests.what = "Merged Table's requests";
  requests.rows = entries * most_requests;
  requests.row_bits = requests.port_bits = w.request;
  requests.writes = requests.reads = {{"packet_coalescing.held"}};
  all.arrays.push_back(requests);
  if (hold != Hold::Slack) return all;
  mem::ArrayPart history;
  history.what = "history of banks";
  history.rows = place.banks;
  history.row_bits = history.port_bits = w.history;
  history.writes = history.reads = sought;
  all.arrays.push_back(history);
  return all;
}

void PacketCoalescingStats::statistics(stats::Visitor& v) {
  v.counter("reads", reads, {"requests", "Read requests that entered the network"});
  v.counter("unpacked", unpacked, {"requests", "Read requests that left it"});
  v.counter("coalesced", coalesced, {"requests", "Of these, out of a packet of several"});
  v.counter("packets", packets, {"packets", "Packets of read requests that left the network"});
  v.counter("big_packets", big_packets, {"packets", "Of these, with several requests"});
  v.counter("global_reads", global_reads,
            {"requests", "Read requests that left it: loads from global memory"});
  v.counter("global_packets", global_packets, {"packets", "Packets with any of those"});
  v.counter("held", held, {"packets", "Packets that a router held, counted at every router"});
  v.counter("joined", joined, {"packets", "Of these, joined one that was there"});
  v.counter("table_full", table_full, {"packets", "Packets not held because the Merged Table was full"});
  v.counter("unlikely", unlikely,
            {"packets", "Packets not held because none of their row was likely to follow (slack)"});
  v.counter("held_ticks", held_ticks,
            {"cycles", "Network cycles that requests were held, from when they were first in their queues"});
  v.counter("overdue_ticks", overdue_ticks,
            {"cycles", "Of these, after their time was over: the queue to the next hop had no room"});
  v.peak("peak", peak, {"entries", "Most entries of a Merged Table in use"});
  v.ratio("probability", coalesced, unpacked,
          {"", "Share of read requests that left in a packet of several"});
  v.ratio("mean_held", held_ticks, unpacked, {"cycles", "Network cycles that a read request was held"});
}

}  // namespace heddle::packet_coalescing
