// Everything that describes a GPU: read from a preset or a user's file, checked, then built.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/units.h"
#include "cache/l1_cache.h"
#include "cluster/cluster_port.h"
#include "cluster/mergers.h"
#include "config/reader.h"
#include "cta/cta_mapper.h"
#include "cta/cta_scheduler.h"
#include "energy/energy_spec.h"
#include "exec/device/loaded_module.h"
#include "gpu/perturb_spec.h"
#include "hierarchy/l1_organization.h"
#include "hierarchy/partition.h"
#include "mem/address_map.h"
#include "noc/topology.h"
#include "sm/sm_spec.h"
#include "workload/launch_rewriter.h"

namespace heddle::gpu {

enum class L2Start : std::uint8_t { Cold, HostCopies };

// The whole machine, and what belongs to no part of it.
struct MachineSpec {
  std::string name = "unnamed";
  std::uint32_t clusters = 12, sms_per_cluster = 5;
  std::uint32_t sms = 0;  // 0: clusters x sms_per_cluster; fewer leave the last places of clusters empty
  std::uint32_t sms_per_tpc = 1;  // cluster sizes differ by whole TPCs
  Frequency clock = 1400_MHz;
  L2Start l2_at_start = L2Start::Cold;
  exec::CodeOrder code_order = exec::CodeOrder::AsWritten;
  std::uint32_t launch_overhead = 0;  // cycles of every launch, from an empty kernel
  std::uint32_t launch_rate = 0;      // CTAs in 1,000 cycles, of the whole GPU; 0: no limit
  std::uint32_t launch_interval = 1;  // cycles between two CTAs of a cluster
  std::uint32_t cta_turnaround = 1;
  Bytes launch_reads{0};  // from memory with every launch, besides instructions
  Bytes instruction{0};   // of machine code; 0: instructions come from nowhere
  bool flush_l1_at_kernel_end = true;
  bool store_replies = true;
  std::uint64_t patience = 50'000'000;
  void fields(config::Reader& r);
  std::uint64_t picoseconds(std::uint64_t cycles) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(cycles) * 1'000'000'000'000u /
                                      clock.count());
  }
  std::uint32_t first_sm(std::uint32_t cluster) const;
  std::uint32_t cluster_size(std::uint32_t cluster) const {
    return first_sm(cluster + 1) - first_sm(cluster);
  }
};

// How CTAs go to SMs: by which scheduler, in which order.
struct CtaSpec {
  std::string scheduler = "two_level_rr", mapping = "linear";
  bool cap_small_grids = false;
  cta::SchedulerFactory make_scheduler;  // with the parameters that were read
  std::unique_ptr<cta::CtaMapper> (*make_mapper)(const cta::GridShape& grid) = nullptr;
  void fields(config::Reader& r);
};

// What software does to kernels before the machine has them.
struct SoftwareSpec {
  std::string rewriter = "none";
  workload::RewriterFactory make_rewriter;  // empty: nothing
  void fields(config::Reader& r);
};

// Core cycles that a message needs from one unit to the next.
struct LatencySpec {
  std::uint32_t sm_to_cluster = 4, cluster_to_network = 4, network_to_partition = 8;
  std::uint32_t partition_to_network = 8, network_to_cluster = 4, cluster_to_sm = 4;
  void fields(config::Reader& r);
};

struct NetworksSpec {
  noc::NetworkSpec request, reply;
  void fields(config::Reader& r);
};

// The cluster's port and what merges requests there.
struct ClusterSection {
  cluster::ClusterSpec port;
  std::string merger = "plain";
  cluster::MergerFactory make_merger;  // with the parameters that were read
  void fields(config::Reader& r);
};

// What is measured beside the usual statistics; what is not asked for costs nothing.
struct MeasureSpec {
  bool locality = false;     // mem/locality_meter.h at every cluster's port
  bool pressure = false;     // sm/access_pressure.h at every SM
  bool available = false;    // sm/available_warps.h at every SM
  bool warp_states = false;  // sm/warp_states.h at every SM
  bool replication = false;  // mem/replication_meter.h over all L1s
  bool funnel = false;       // mem/potential_meter.h at every level
  std::uint32_t window = 2000;
  void fields(config::Reader& r);
};

// How much of a program is simulated.
struct LimitSpec {
  std::uint64_t kernel_cycles = 0;  // of every kernel; 0: all
  bool cut = false;                 // CTAs that run then: they do not come to their end in time
  void fields(config::Reader& r);
};

// Where the L1s stand.
struct OrganizationChoice {
  std::string name = "private";
  std::shared_ptr<const hierarchy::L1Organization> design;  // with the parameters that were read
  void fields(config::Reader& r);
};

struct GpuSpec {
  MachineSpec gpu;
  sm::SmSpec sm;
  cache::L1Spec l1;  // of an SM
  OrganizationChoice organization;
  ClusterSection cluster;
  NetworksSpec noc;
  LatencySpec latency;
  hierarchy::PartitionSpec partition;  // sections l2 and dram
  mem::AddressMapSpec memory;
  CtaSpec cta;
  SoftwareSpec software;
  MeasureSpec measure;
  PerturbSpec perturb;
  LimitSpec limit;
  energy::EnergySpec energy;

  void fields(config::Reader& r);
  std::uint32_t sms() const { return gpu.sms != 0 ? gpu.sms : gpu.clusters * gpu.sms_per_cluster; }
  // What the L1s' organization has to do with; `map` outlives it.
  hierarchy::L1Setting l1_setting(const mem::AddressMap& map) const;
  hierarchy::L1Layout l1_layout() const;
  cluster::LookupDelay lookup_delay() const { return cluster.make_merger(merger_place())->delay(); }
  // The surroundings of port `p`'s merger, with `l1s` L1s behind it.
  cluster::MergerPlace merger_place(std::uint32_t p, std::uint32_t l1s) const {
    return {p, l1s, l1.tags.line, l1.enabled && l1.tags.sectored};
  }
  // Those of the port with most L1s.
  cluster::MergerPlace merger_place() const;
  // The surroundings of a network; `map` outlives them.
  noc::NetworkPlace network_place(noc::Direction direction, const mem::AddressMap& map) const;
  const cache::L2Spec& l2() const { return partition.l2; }
  std::uint32_t slices() const { return memory.partitions * memory.slices; }
};

// The L1 of a kernel whose CTAs take `shared_bytes` per SM: with a unified memory, what they leave.
cache::L1Spec l1_for(const GpuSpec& spec, std::uint64_t shared_bytes);

}  // namespace heddle::gpu
