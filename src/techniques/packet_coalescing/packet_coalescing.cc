#include "techniques/packet_coalescing/packet_coalescing.h"

#include <algorithm>

namespace heddle::packet_coalescing {

PacketCoalescing::PacketCoalescing(const PacketCoalescingSpec& spec, const noc::MergerPlace& place)
    : spec_(spec) {
  routers_.reserve(place.routers);
  for (std::uint32_t r = 0; r < place.routers; ++r)
    routers_.push_back({Detector(spec_, place.banks), MergedTable(spec_.entries)});
}

std::uint32_t PacketCoalescing::hold(std::uint32_t router, noc::HeadFlit& head, Tick now) {
  const std::uint32_t ticks = routers_[router].detector.hold(head, now, stats_);
  if (!spec_.merge && ticks != 0) {  // it waits in its queue
    ++stats_.held;
    stats_.held_ticks += ticks;
    spend(head, ticks);
  }
  return ticks;
}

void PacketCoalescing::spend(noc::HeadFlit& head, Tick ticks) {
  head.slack = static_cast<std::uint16_t>(head.slack - std::min<Tick>(head.slack, ticks));
}

PacketCoalescing::Verdict PacketCoalescing::keep(std::uint32_t router, Index packet, noc::HeadFlit& head,
                                                 const Stay& stay) {
  MergedTable& table = routers_[router].table;
  MergedTable::Entry* e =
      table.find(head.row, head.requests, spec_.most_requests, spec_.join_expired ? 0 : stay.now);
  if (e == nullptr && table.full()) {
    ++stats_.table_full;
    return {};
  }
  ++stats_.held;
  spend(head, stay.due - stay.since);
  if (e != nullptr) {
    MergedTable::join(*e, head.requests, stay.since, stay.due);
    ++stats_.joined;
    return {Verdict::Kind::Join, e->packet};
  }
  table.add(head.row, packet, head.requests, stay.since, stay.due);
  stats_.peak = std::max<std::uint64_t>(stats_.peak, table.size());
  return {Verdict::Kind::Keep, packet};
}

// Nobody waits longer than its own slack allows: the way from here is the same for both, and the one with
// less says how it is divided.
void PacketCoalescing::combine(noc::HeadFlit& kept, const noc::HeadFlit& joining) const {
  if (joining.slack >= kept.slack) return;
  kept.slack = joining.slack;
  kept.hop = joining.hop;
  kept.hops = joining.hops;
}

PacketCoalescing::Index PacketCoalescing::release(std::uint32_t router, Tick now, const Exits& exits) {
  const std::optional<MergedTable::Entry> e = routers_[router].table.release(now, exits);
  if (!e) return kNone;
  stats_.held_ticks += now * e->requests - e->since_sum;
  stats_.overdue_ticks += (now - e->due) * e->requests;
  return e->packet;
}

void PacketCoalescing::unpacked(std::uint32_t requests, std::uint32_t global) {
  stats_.unpacked += requests;
  ++stats_.packets;
  if (requests > 1) {
    stats_.coalesced += requests;
    ++stats_.big_packets;
  }
  stats_.global_reads += global;
  if (global != 0) ++stats_.global_packets;
}

namespace {

class Design final : public noc::PacketMerging {
 public:
  explicit Design(const PacketCoalescingSpec& spec) : spec_(spec) {}
  std::unique_ptr<noc::PacketMerger> make(const noc::MergerPlace& place) const override {
    return std::make_unique<PacketCoalescing>(spec_, place);
  }
  std::uint64_t bytes(std::uint32_t requests) const override { return requests * spec_.request.count(); }
  std::uint32_t most_requests() const override { return spec_.merge ? spec_.most_requests : 1; }
  bool keeps() const override { return spec_.merge; }
  bool holds_grant() const override { return spec_.merge && spec_.hold_grant; }
  bool wants_ready_warps() const override { return spec_.hold == Hold::Slack; }
  void declare(stats::Groups& all) const override { all.make<PacketCoalescingStats>(kGroup); }
  std::vector<mem::Identity> identities(const stats::Groups& s) const override {
    const auto& own = s.get<PacketCoalescingStats>(kGroup);
    return {{"read requests into the routers and out of packets", own.reads, own.unpacked}};
  }
  void funnel(const stats::Groups& s, mem::Funnel& f) const override;
  std::vector<mem::Storage> storage(const noc::MergerPlace& place) const override {
    return spec_.storage(place);
  }
  mem::Structure hardware(const noc::MergerPlace& place) const override { return spec_.hardware(place); }

 private:
  PacketCoalescingSpec spec_;
};

// Two places: routers, where requests go together, and outputs, where they part.
void Design::funnel(const stats::Groups& s, mem::Funnel& f) const {
  const auto& own = s.get<PacketCoalescingStats>(kGroup);
  const std::uint64_t together = own.global_reads - own.global_packets;
  const std::size_t in = f.last();
  const std::size_t packets = f.add({"packets by row", "packets", "packet coalescing", own.global_packets});
  f.places.push_back({"the routers", in, packets, {{"packet coalescing", together, false, true}}});
  const std::size_t out = f.add({"requests at memory", "requests", "unpacking", own.global_reads});
  f.places.push_back({"the network's outputs", packets, out, {{"unpacking", together, true, true}}});
}

std::shared_ptr<const noc::PacketMerging> read(config::Reader& section) {
  PacketCoalescingSpec spec;
  spec.fields(section);
  return std::make_shared<Design>(spec);
}

}  // namespace

const noc::PacketMergerKind kPacketCoalescing{
    "packet_coalescing",
    "read requests to one DRAM row wait for each other in routers and travel as one packet", read};

}  // namespace heddle::packet_coalescing
