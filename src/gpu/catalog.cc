#include "gpu/catalog.h"

#include <algorithm>

#include <fmt/format.h>

#include "cache/prefetchers.h"
#include "cache/replacement.h"
#include "cluster/mergers.h"
#include "cta/cta_mapper.h"
#include "cta/cta_scheduler.h"
#include "dram/dram_scheduler.h"
#include "noc/topology.h"
#include "sm/warp_scheduler.h"
#include "techniques/banked_l1/banked_front.h"
#include "techniques/cta_clustering/clustering_rewriter.h"
#include "techniques/cta_clustering/throttling.h"
#include "techniques/decoupled_l1/decoupled_l1.h"
#include "techniques/decoupled_l1/single_l1.h"
#include "techniques/intra_cluster/icc_merger.h"
#include "techniques/mrpb/mrpb.h"
#include "techniques/packet_coalescing/packet_coalescing.h"
#include "techniques/warppool/warp_pool.h"

namespace heddle::gpu {
namespace {

using Choices = std::vector<config::NamedChoice>;

template <class Table>
Choices named(const Table& table) {
  Choices all;
  for (const auto& entry : table) all.push_back({std::string(entry.name), std::string(entry.description)});
  return all;
}

Choices cta_scheduler_names() {
  return named(cta_schedulers());
}
Choices cta_mapper_names() {
  return named(cta_mappers());
}
Choices launch_rewriter_names() {
  return named(launch_rewriters());
}
Choices warp_scheduler_names() {
  return named(warp_schedulers());
}
Choices merger_names() {
  return named(mergers());
}
Choices prefetcher_names() {
  return named(prefetchers());
}
Choices load_front_names() {
  return named(load_fronts());
}
Choices organization_names() {
  return named(l1_organizations());
}
Choices topology_names() {
  return named(topologies());
}
Choices packet_merger_names() {
  return named(packet_mergers());
}
Choices dram_schedulers() {
  return dram::scheduler_choices();
}
Choices replacements() {
  return cache::replacement_names();
}

template <class Part>
std::string storage_text(const char* where, const std::vector<Part>& parts) {
  std::string text;
  for (const Part& p : parts)
    text +=
        fmt::format("{}{} {} = {} bytes", text.empty() ? where : "; ", p.part, p.formula, (p.bits + 7) / 8);
  return text;
}

std::string merger_storage(const GpuSpec& spec) {
  return storage_text("per cluster: ", spec.cluster.make_merger(spec.merger_place())->storage());
}

std::string front_storage(const GpuSpec& spec) {
  if (!spec.sm.make_front) return {};
  return storage_text("per SM: ", spec.sm.make_front(spec.sm.front_place(0, nullptr))->storage());
}

std::string packet_merger_storage(const GpuSpec& spec) {
  const auto& merging = spec.noc.request.merging;
  if (merging == nullptr) return {};
  return storage_text("per router: ", merging->storage({1, spec.slices() * spec.memory.banks}));
}

// A slot's own kinds, then those of techniques.
template <class Kind>
std::vector<Kind> with_techniques(std::span<const Kind> own, std::initializer_list<Kind> techniques) {
  std::vector<Kind> all(own.begin(), own.end());
  all.insert(all.end(), techniques);
  return all;
}

using Spec = const GpuSpec&;
using Name = const std::string&;

}  // namespace

// ---- what techniques bring: a line each ------------------------------------------------------------
// clang-format off

std::span<const cluster::MergerKind> mergers() {
  static const auto all = with_techniques<cluster::MergerKind>(cluster::mergers(), {
      intra_cluster::kIcc,
      intra_cluster::kIccCc,
  });
  return all;
}

std::span<const cta::SchedulerKind> cta_schedulers() {
  static const auto all = with_techniques<cta::SchedulerKind>(cta::schedulers(), {
  });
  return all;
}

std::span<const sm::WarpSchedulerKind> warp_schedulers() {
  static const auto all = with_techniques<sm::WarpSchedulerKind>(sm::warp_schedulers(), {
  });
  return all;
}

std::span<const noc::TopologyKind> topologies() {
  static const auto all = with_techniques<noc::TopologyKind>(noc::topologies(), {
  });
  return all;
}

std::span<const noc::PacketMergerKind> packet_mergers() {
  static const auto all = with_techniques<noc::PacketMergerKind>(noc::packet_mergers(), {
      packet_coalescing::kPacketCoalescing,
  });
  return all;
}

std::span<const cta::MapperKind> cta_mappers() {
  static const auto all = with_techniques<cta::MapperKind>(cta::mappers(), {
  });
  return all;
}

std::span<const workload::LaunchRewriterKind> launch_rewriters() {
  static const auto all = with_techniques<workload::LaunchRewriterKind>(workload::launch_rewriters(), {
      cta_clustering::kRedirection,
      cta_clustering::kAgents,
      cta_clustering::kThrottling,
  });
  return all;
}

std::span<const sm::LoadFrontKind> load_fronts() {
  static const auto all = with_techniques<sm::LoadFrontKind>(sm::load_fronts(), {
      warppool::kWarpPool,
      mrpb::kMrpb,
      banked_l1::kBanked,
  });
  return all;
}

std::span<const hierarchy::OrganizationKind> l1_organizations() {
  static const auto all = with_techniques<hierarchy::OrganizationKind>(hierarchy::l1_organizations(), {
      decoupled_l1::kDecoupled,
      decoupled_l1::kSingle,
  });
  return all;
}

std::span<const cache::PrefetcherKind> prefetchers() {
  static const auto all = with_techniques<cache::PrefetcherKind>(cache::prefetchers(), {
  });
  return all;
}

// clang-format on
// ----------------------------------------------------------------------------------------------------

const cluster::MergerKind& merger_kind(std::string_view name) {
  const auto all = mergers();
  return *std::find_if(all.begin(), all.end(), [&](const auto& kind) { return kind.name == name; });
}

const sm::LoadFrontKind& load_front_kind(std::string_view name) {
  const auto all = load_fronts();
  return *std::find_if(all.begin(), all.end(), [&](const auto& kind) { return kind.name == name; });
}

const std::vector<Slot>& catalog() {
  static const std::vector<Slot> slots = {
      {"CTA scheduler", "cta.scheduler", "cta/cta_scheduler.h", cta_scheduler_names,
       [](Spec s) -> Name { return s.cta.scheduler; }},
      {"CTA mapping", "cta.mapping", "cta/cta_mapper.h", cta_mapper_names,
       [](Spec s) -> Name { return s.cta.mapping; }},
      {"launch rewriter", "software.rewriter", "workload/launch_rewriter.h", launch_rewriter_names,
       [](Spec s) -> Name { return s.software.rewriter; }},
      {"warp scheduler", "sm.scheduler", "sm/warp_scheduler.h", warp_scheduler_names,
       [](Spec s) -> Name { return s.sm.scheduler; }},
      {"load front", "sm.load_front", "sm/load_front.h", load_front_names,
       [](Spec s) -> Name { return s.sm.load_front; }, front_storage},
      {"L1 organization", "l1.organization", "hierarchy/l1_organization.h", organization_names,
       [](Spec s) -> Name { return s.organization.name; }},
      {"L1 replacement", "l1.replacement", "cache/replacement.h", replacements,
       [](Spec s) -> Name { return s.l1.tags.replacement; }},
      {"L1 prefetcher", "l1.prefetcher", "cache/prefetcher.h", prefetcher_names,
       [](Spec s) -> Name { return s.l1.prefetcher; }},
      {"cluster merger", "cluster.merger", "cluster/miss_merger.h", merger_names,
       [](Spec s) -> Name { return s.cluster.merger; }, merger_storage},
      {"request network", "noc.request.topology", "noc/topology.h", topology_names,
       [](Spec s) -> Name { return s.noc.request.topology; }},
      {"reply network", "noc.reply.topology", "noc/topology.h", topology_names,
       [](Spec s) -> Name { return s.noc.reply.topology; }},
      {"packet merger", "noc.request.merger", "noc/packet_merger.h", packet_merger_names,
       [](Spec s) -> Name { return s.noc.request.merger; }, packet_merger_storage},
      {"L2 replacement", "l2.replacement", "cache/replacement.h", replacements,
       [](Spec s) -> Name { return s.l2().tags.replacement; }},
      {"DRAM scheduler", "dram.scheduler", "dram/dram_scheduler.h", dram_schedulers,
       [](Spec s) -> Name { return s.partition.dram.scheduler; }},
  };
  return slots;
}

std::vector<Chosen> implementations(const GpuSpec& spec) {
  std::vector<Chosen> all;
  for (const Slot& slot : catalog()) {
    const std::string& name = slot.chosen(spec);
    std::string description;
    for (const config::NamedChoice& c : slot.implementations())
      if (c.name == name) description = c.description;
    all.push_back(
        {std::string(slot.name), std::string(slot.key), name, std::move(description), slot.storage(spec)});
  }
  return all;
}

}  // namespace heddle::gpu
