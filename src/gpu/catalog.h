// The catalog: every slot of the machine, its implementations, and which one a configuration chose.
//
// A slot's table lives with the component that has the hole (sm/warp_scheduler.h, cluster/mergers.h, ...);
// this is the one list of those tables. A new implementation is a line in its slot's table; one that a
// technique brings is a line in catalog.cc (docs/add-a-technique.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/prefetchers.h"
#include "cluster/mergers.h"
#include "config/params.h"
#include "cta/cta_scheduler.h"
#include "gpu/gpu_spec.h"
#include "hierarchy/l1_organization.h"
#include "noc/topology.h"
#include "sm/load_fronts.h"
#include "sm/warp_scheduler.h"

namespace heddle::gpu {

struct Slot {
  std::string_view name;      // "warp scheduler"
  std::string_view key;       // of the parameter that chooses: "sm.scheduler"
  std::string_view contract;  // header with the rules, for who writes another one
  std::vector<config::NamedChoice> (*implementations)();
  const std::string& (*chosen)(const GpuSpec& spec);
  // Hardware that the chosen implementation adds, in words; empty where it claims none.
  std::string (*storage)(const GpuSpec& spec) = [](const GpuSpec&) { return std::string(); };
};

const std::vector<Slot>& catalog();

// A slot's own kinds and those of the techniques.
std::span<const cluster::MergerKind> mergers();
// The kind of that name, which there is.
const cluster::MergerKind& merger_kind(std::string_view name);
std::span<const cta::SchedulerKind> cta_schedulers();
std::span<const cta::MapperKind> cta_mappers();
std::span<const workload::LaunchRewriterKind> launch_rewriters();
std::span<const sm::WarpSchedulerKind> warp_schedulers();
std::span<const sm::LoadFrontKind> load_fronts();
const sm::LoadFrontKind& load_front_kind(std::string_view name);
std::span<const hierarchy::OrganizationKind> l1_organizations();
std::span<const noc::TopologyKind> topologies();
std::span<const noc::PacketMergerKind> packet_mergers();
std::span<const cache::PrefetcherKind> prefetchers();

// What a machine is made of: one line per slot.
struct Chosen {
  std::string slot, key, name, description, storage;
};
std::vector<Chosen> implementations(const GpuSpec& spec);

}  // namespace heddle::gpu
