// Packet coalescing: routers of the request network hold read requests for a while, so that requests to one
// DRAM row, of different cores, travel on as one big packet and reach the memory controller together.
//
//   input queue -> Detector: how long? -> Merged Table, by (controller, bank, row) -> Scheduler: time is over
//               -> the router's own queue to its output -> allocators (Grant Holder: noc/mesh.h) -> next hop
//
// At its output a big packet is unpacked in order (noc/packet_merger.h).
#pragma once

#include <memory>
#include <vector>

#include "techniques/packet_coalescing/detector.h"
#include "techniques/packet_coalescing/merged_table.h"
#include "techniques/packet_coalescing/packet_coalescing_spec.h"

namespace heddle::packet_coalescing {

class PacketCoalescing final : public noc::PacketMerger {
 public:
  PacketCoalescing(const PacketCoalescingSpec& spec, const noc::MergerPlace& place);

  std::uint32_t hold(std::uint32_t router, noc::HeadFlit& head, Tick now) override;
  Verdict keep(std::uint32_t router, Index packet, noc::HeadFlit& head, const Stay& stay) override;
  void combine(noc::HeadFlit& kept, const noc::HeadFlit& joining) const override;
  Index release(std::uint32_t router, Tick now, const Exits& exits) override;
  Tick due(std::uint32_t router, Tick from) const override { return routers_[router].table.due(from); }
  bool empty(std::uint32_t router) const override { return routers_[router].table.size() == 0; }
  void unpacked(std::uint32_t requests, std::uint32_t global) override;
  void entered() override { ++stats_.reads; }
  void collect(stats::Groups& all) const override { all.add(kGroup, stats_); }
  void clear_statistics() override { stats_ = {}; }

 private:
  struct Router {
    Detector detector;
    MergedTable table;
  };
  static void spend(noc::HeadFlit& head, Tick ticks);  // of its slack

  const PacketCoalescingSpec spec_;
  std::vector<Router> routers_;
  PacketCoalescingStats stats_;
};

extern const noc::PacketMergerKind kPacketCoalescing;

}  // namespace heddle::packet_coalescing
