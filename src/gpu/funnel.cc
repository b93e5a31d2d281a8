#include "gpu/funnel.h"

#include "gpu/catalog.h"

namespace heddle::gpu {

using Stage = FunnelStage;

const std::vector<FunnelPlace>& funnel_places() {
  static const std::vector<FunnelPlace> places = {
      {"the L1s and their MSHRs", Stage::LineRequests, Stage::AfterMshr},
      {"the clusters' ports", Stage::AfterMshr, Stage::AfterCluster},
      {"the L2 and its MSHRs", Stage::Packets, Stage::AfterL2Mshr},
      {"the DRAM rows", Stage::Bursts, Stage::Activations}};
  return places;
}

std::uint64_t Funnel::removed(const FunnelPlace& place) const {
  const std::uint64_t in = at(place.in).count, out = at(place.out).count;
  return in > out ? in - out : 0;
}

std::optional<std::uint64_t> Funnel::left(const FunnelPlace& place) const {
  const auto& could = at(place.in).could_merge;
  if (!could) return {};
  const std::uint64_t gone = removed(place);
  return *could > gone ? *could - gone : 0;
}

namespace {

std::vector<FunnelPart> removed_by_merger(const cluster::MergerStats& s, const std::string& chosen) {
  std::vector<FunnelPart> parts;
  for (const cluster::MergerKind& kind : mergers()) {
    if (kind.name != chosen) continue;
    if (!kind.merged_by.empty()) parts.push_back({kind.merged_by, s.merged});
    if (!kind.held_by.empty()) parts.push_back({kind.held_by, s.held});
  }
  return parts;
}

}  // namespace

std::vector<FunnelPart> removed_by(const FunnelPlace& place, const MachineStats& s, const GpuSpec& spec) {
  switch (place.in) {
    case Stage::LineRequests:
      return {{"L1 hits", s.l1.global_reads.hits}, {"L1 MSHRs", s.l1.global_reads.merged}};
    case Stage::AfterMshr:
      return removed_by_merger(s.merger, spec.cluster.merger);
    case Stage::Packets:
      return {{"L2 hits", s.l2.global_reads.hits}, {"L2 MSHRs", s.l2.global_reads.merged}};
    default:  // the rows: a burst that needs no activation of its own
      return {{"open rows", funnel(s, false).removed(place)}};
  }
}

Funnel funnel(const MachineStats& s, bool measured) {
  const auto could = [&](const mem::PotentialStats& p) {
    return measured ? std::optional(p.could_merge) : std::nullopt;
  };
  const cache::L1Stats::Flow& l1 = s.l1.global_reads;
  const cache::L2OpStats& l2 = s.l2.global_reads;
  Funnel f;
  f.levels = {
      {"lanes", "accesses", "", s.sm.global_load.lanes, {}},
      {"line requests", "requests", "intra-warp coalescing", s.sm.global_load.lines,
       could(s.potential.line_requests)},
      {"after inter-warp", "requests", "inter-warp merging", l1.in, {}},
      {"L1 misses", "requests", "L1 hits", l1.in - l1.hits, could(s.potential.l1_misses)},
      {"after MSHR", "requests", "L1 MSHRs", l1.forwarded + l1.bypassed, could(s.potential.cluster)},
      {"after the cluster", "requests", "the clusters' mergers", s.cluster.global_reads_forwarded, {}},
      {"NoC packets", "packets", "bundling", s.cluster.global_reads_injected, could(s.potential.network)},
      {"L2 misses", "requests", "L2 hits", l2.requests - l2.hits, could(s.potential.l2_misses)},
      {"after L2 MSHR", "requests", "L2 MSHRs", l2.misses, {}},
      {"DRAM bursts", "bursts", "sectors per burst", s.dram.global_bursts, could(s.potential.rows)},
      {"row activations", "activations", "open rows", s.dram.global_activations, {}},
  };
  return f;
}

std::vector<FunnelIdentity> funnel_identities(const MachineStats& s) {
  const cache::L1Stats::Flow& l1 = s.l1.global_reads;
  const cache::L2OpStats& l2 = s.l2.global_reads;
  return {
      {"global reads: line requests and at L1s", s.sm.global_load.lines, l1.in},
      {"global reads: at L1s and their outcomes", l1.in, l1.outcomes()},
      {"global reads: left L1s and came to clusters", l1.forwarded + l1.bypassed, s.cluster.global_reads},
      {"global reads: at clusters and their outcomes", s.cluster.global_reads,
       s.cluster.global_reads_forwarded + s.merger.merged + s.merger.held},
      {"global reads: forwarded by clusters and injected", s.cluster.global_reads_forwarded,
       s.cluster.global_reads_injected},
      {"global reads: injected and at L2", s.cluster.global_reads_injected, l2.requests},
      {"global reads: at L2 and their outcomes", l2.requests, l2.hits + l2.merged + l2.misses},
      {"global reads: L2 misses and accesses to memory", l2.misses, s.l2.global_fetches},
      {"global reads: transfers asked of DRAM and served", s.partition.global_transfers, s.dram.global_reads},
  };
}

}  // namespace heddle::gpu
