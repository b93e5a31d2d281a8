#include "gpu/unloaded.h"

#include <algorithm>

#include "mem/packet.h"
#include "sim/time.h"

namespace heddle::gpu {
namespace {

// Of `data` bytes.
double crossing(const GpuSpec& spec, noc::Direction direction, std::uint64_t data) {
  const noc::NetworkSpec& n = direction == noc::Direction::Request ? spec.noc.request : spec.noc.reply;
  const mem::AddressMap map(spec.memory);
  return n.design->unloaded(n, spec.network_place(direction, map), mem::flits_of_data(n.packet, data));
}

}  // namespace

UnloadedLatency unloaded_latency(const GpuSpec& spec) {
  UnloadedLatency u;
  const Frequency core = spec.gpu.clock;
  constexpr double kToL1 = 1;  // from issue to the load/store unit's access
  // Lookup at the cluster's port; response FIFO.
  const cluster::LookupDelay lookup = spec.lookup_delay();
  const double port = 1 + 1 + lookup.request + lookup.reply;
  const bool cached = spec.l1.enabled && !spec.l1.bypass_global;
  // One word: NoCs of an L1 organization carry what is asked for.
  const mem::AddressMap map(spec.memory);
  const hierarchy::L1Setting setting = spec.l1_setting(map);
  const double to_l1 = kToL1 + spec.organization.design->unloaded(setting, 4);
  if (cached) u.l1_hit = to_l1 + spec.organization.design->l1(setting).latency;

  const bool whole_lines = cached && !spec.l1.tags.sectored;
  const std::uint64_t bytes = whole_lines ? spec.l1.tags.line.count() : 32;
  const LatencySpec& l = spec.latency;
  const double channels = l.sm_to_cluster + l.cluster_to_network + l.network_to_partition +
                          l.partition_to_network + l.network_to_cluster + l.cluster_to_sm;
  const sim::Clock l2_clock =
      spec.partition.l2_clock == Frequency{0} ? sim::Clock{} : sim::Clock(spec.partition.l2_clock, core);
  const double way = to_l1 + port + channels + crossing(spec, noc::Direction::Request, 0) +
                     crossing(spec, noc::Direction::Reply, bytes) + (cached ? spec.l1.fill_latency : 0);
  const double l2 = way + sim::mean_cycles(l2_clock, spec.l2().latency);
  if (spec.l2().enabled) u.l2_hit = l2;

  // Without sectors, L2 fetches the whole line; with them, groups of them.
  const dram::DramSpec& d = spec.partition.dram;
  const std::uint64_t fetched =
      spec.l2().tags.sectored ? std::max(bytes, spec.l2().fetch.count()) : spec.l2().tags.line.count();
  const std::uint64_t bursts = (fetched + d.burst_bytes() - 1) / d.burst_bytes();
  const std::uint64_t hit = d.tCL + d.burst_ticks() + (bursts - 1) * d.tCCDL + d.delay + d.minimum_latency;
  const double queue = spec.l2().dram_queue == 0
                           ? 0
                           : static_cast<double>(l2_clock.cycles()) / static_cast<double>(l2_clock.ticks());
  auto access = [&](std::uint64_t ticks) {
    return l2 + queue +
           static_cast<double>(ticks) * static_cast<double>(core.count()) /
               static_cast<double>(d.clock.count());
  };
  u.dram_row_hit = access(hit);
  u.dram_closed = access(hit + d.tRCD);
  u.dram_conflict = access(hit + d.tRCD + d.tRP);
  return u;
}

}  // namespace heddle::gpu
