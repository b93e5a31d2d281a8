// Everything a machine counts, parts of one kind added up: a group of counters per stage (mem/stage.h), and
// those of meters and techniques where there are any.
#pragma once

#include <cstdint>

#include "cache/l1_spec.h"
#include "cache/l2_spec.h"
#include "cluster/cluster_port.h"
#include "dram/channel.h"
#include "hierarchy/partition.h"
#include "noc/network.h"
#include "sm/access_pressure.h"
#include "sm/available_warps.h"
#include "sm/sm_stats.h"
#include "sm/warp_states.h"
#include "stats/groups.h"

namespace heddle::gpu {

struct RunStats {
  std::uint64_t cycles = 0;  // core cycles of all launches, overhead included
  std::uint64_t launches = 0;
  std::uint64_t picoseconds = 0;
  std::uint64_t ctas_only_executed = 0;  // behind limit.kernel_cycles
  std::uint64_t ctas_cut = 0;            // at limit.kernel_cycles
  void statistics(stats::Visitor& v);
};

// Where there is a software.rewriter.
struct SoftwareStats {
  static constexpr const char* kGroup = "software";
  std::uint64_t launches = 0, rewritten = 0;
  void statistics(stats::Visitor& v);
};

struct MachineStats {
  RunStats gpu;
  stats::Groups groups;
  void statistics(stats::Visitor& v);
  void add(const MachineStats& other);

  // What is in `groups` of most machines, by name; zeros where a machine has none of it.
  const sm::SmStats& sm() const { return groups.get<sm::SmStats>("sm"); }
  const cache::L1Stats& l1() const { return groups.get<cache::L1Stats>("l1"); }
  const cluster::ClusterStats& cluster() const { return groups.get<cluster::ClusterStats>("cluster"); }
  const cluster::MergerStats& merger() const { return groups.get<cluster::MergerStats>("merger"); }
  const noc::NetworkStats& request_network() const {
    return groups.get<noc::NetworkStats>("request_network");
  }
  const noc::NetworkStats& reply_network() const { return groups.get<noc::NetworkStats>("reply_network"); }
  const hierarchy::PartitionStats& partition() const {
    return groups.get<hierarchy::PartitionStats>("partition");
  }
  const cache::L2Stats& l2() const { return groups.get<cache::L2Stats>("l2"); }
  const dram::DramStats& dram() const { return groups.get<dram::DramStats>("dram"); }
  const mem::LocalityStats& locality() const { return groups.get<mem::LocalityStats>("locality"); }
  // Zeros unless measure.pressure is on.
  const sm::PressureStats& pressure() const { return groups.get<sm::PressureStats>("pressure"); }
  // Zeros unless measure.available is on.
  const sm::AvailableStats& available() const { return groups.get<sm::AvailableStats>("available"); }
  // Zeros unless measure.warp_states is on.
  const sm::WarpStateStats& warp_states() const { return groups.get<sm::WarpStateStats>("warp_states"); }
  // What could have been merged at a level (mem/potential_meter.h); zeros unless measure.funnel is on.
  const mem::PotentialStats& potential(std::string_view level) const;
};

}  // namespace heddle::gpu
