// Unloaded latencies in core cycles, from the description alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/gpu_spec.h"
#include "mem/packet.h"

namespace heddle::gpu {

// From issue to issue. The load/store unit looks at an instruction in the cycle after its issue.
inline double l1_hit(const GpuSpec& s) {
  return 1 + s.l1.latency + s.sm.load_pipeline;
}

// Core cycles per tick of another clock.
inline double cycles_per_tick(const GpuSpec& s, Frequency f) {
  return f.count() == 0 ? 1.0 : static_cast<double>(s.gpu.clock.count()) / static_cast<double>(f.count());
}

// Network cycles before a packet's first flit crosses, of the core's clock.
inline double packet_setup(const GpuSpec& s, noc::Direction direction) {
  const noc::NetworkSpec& n = direction == noc::Direction::Request ? s.noc.request : s.noc.reply;
  if (n.topology != "crossbar") return 0;
  const mem::AddressMap map(s.memory);
  noc::NetworkPlace place = s.network_place(direction, map);
  place.clock = {};
  return n.design->unloaded(n, place, 1) - 2;
}

// All but the slice itself: the load/store unit's cycle, six channels, a cycle in the cluster's port each way
// (in by one stage, out by the next in the following cycle), 1 + setup + flits in each network.
inline double way_there_and_back(const GpuSpec& s) {
  const LatencySpec& l = s.latency;
  mem::Request r;
  r.sectors = s.l1.enabled && !s.l1.bypass_global && !s.l1.tags.sectored ? 0xf : 1;
  const double request = 1 + packet_setup(s, noc::Direction::Request) + mem::flits(s.noc.request.packet, r);
  r.reply = true;
  const double reply = 1 + packet_setup(s, noc::Direction::Reply) + mem::flits(s.noc.reply.packet, r);
  return 1 + l.sm_to_cluster + 1 + l.cluster_to_network + request * cycles_per_tick(s, s.noc.request.clock) +
         l.network_to_partition + l.partition_to_network + reply * cycles_per_tick(s, s.noc.reply.clock) +
         l.network_to_cluster + 1 + l.cluster_to_sm + s.l1.fill_latency + s.sm.load_pipeline;
}
inline double l2_hit(const GpuSpec& s) {
  return way_there_and_back(s) + s.l2().latency * cycles_per_tick(s, s.partition.l2_clock);
}

// Bytes that L2 asks of DRAM for the 8 bytes of a load.
inline std::uint32_t fetched(const GpuSpec& s) {
  const bool line = !s.l2().tags.sectored || (s.l1.enabled && !s.l1.bypass_global && !s.l1.tags.sectored);
  return line ? 128 : 32;
}
// Ticks from the tick in which a row is open to the last data of a fetch.
inline double column_and_data(const dram::DramSpec& d, std::uint32_t bytes) {
  const std::uint32_t bursts = (bytes + d.burst_bytes() - 1) / d.burst_bytes();
  return d.tCL + (bursts - 1) * std::max(d.tCCDL, d.burst_ticks()) + d.burst_ticks() + d.delay +
         d.minimum_latency;
}
// A miss passes through the slice's pipeline once, with its data; a queue behind the miss queue is a cycle.
inline double dram_row_hit(const GpuSpec& s) {
  const dram::DramSpec& d = s.partition.dram;
  const double queue = s.l2().dram_queue == 0 ? 0 : cycles_per_tick(s, s.partition.l2_clock);
  return l2_hit(s) + queue + column_and_data(d, fetched(s)) * cycles_per_tick(s, d.clock);
}
inline double dram_row_conflict(const GpuSpec& s) {
  const dram::DramSpec& d = s.partition.dram;
  return dram_row_hit(s) + (d.tRP + d.tRCD) * cycles_per_tick(s, d.clock);
}

}  // namespace heddle::gpu
