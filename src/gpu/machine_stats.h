// Everything a machine counts, parts of one kind added up.
#pragma once

#include <cstdint>

#include "cache/l1_spec.h"
#include "cache/l2_spec.h"
#include "cluster/cluster_port.h"
#include "dram/channel.h"
#include "hierarchy/partition.h"
#include "noc/network.h"
#include "sm/sm_stats.h"

namespace heddle::gpu {

struct RunStats {
  std::uint64_t cycles = 0;  // core cycles of all launches, overhead included
  std::uint64_t launches = 0;
  std::uint64_t picoseconds = 0;
  void statistics(stats::Visitor& v);
};

// What could have been merged where (mem/potential_meter.h); zeros unless measure.funnel is on.
struct PotentialLevels {
  mem::PotentialStats line_requests, l1_misses;  // of an SM
  mem::PotentialStats cluster;                   // requests of a cluster's SMs
  mem::PotentialStats network, l2_misses;        // at an L2 slice
  mem::PotentialStats rows;                      // bursts, by row of a memory partition
  void statistics(stats::Visitor& v);
};

struct MachineStats {
  RunStats gpu;
  sm::SmStats sm;
  cache::L1Stats l1;
  cluster::ClusterStats cluster;
  cluster::MergerStats merger;
  noc::NetworkStats request_network, reply_network;
  hierarchy::PartitionStats partition;
  cache::L2Stats l2;
  dram::DramStats dram;
  mem::LocalityStats locality;  // zeros unless measure.locality is on
  PotentialLevels potential;
  void statistics(stats::Visitor& v);
  void add(const MachineStats& other);
};

}  // namespace heddle::gpu
