#include "gpu/stages.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "energy/energy_stats.h"
#include "gpu/catalog.h"
#include "gpu/energy_account.h"

namespace heddle::gpu {
namespace {

std::string sm_layout(const GpuSpec& s) {
  return fmt::format("{} clusters of {} SMs{}, {}", s.gpu.clusters, s.gpu.sms_per_cluster,
                     s.sms() == s.gpu.clusters * s.gpu.sms_per_cluster
                         ? fmt::format(": {} SMs", s.sms())
                         : fmt::format(", {} SMs present", s.sms()),
                     to_string(s.gpu.clock));
}

hierarchy::MemoryLayout memory_layout(const GpuSpec& s) {
  return {s.memory.partitions, s.memory.slices, s.memory.interleave, s.memory.row, s.gpu.clock};
}

noc::NetworkStage::Described described(const GpuSpec& s, noc::Direction direction) {
  const mem::AddressMap map(s.memory);
  const bool request = direction == noc::Direction::Request;
  const noc::NetworkSpec& n = request ? s.noc.request : s.noc.reply;
  // Buffers are made for what there is most of: requests of loads, and lines.
  const std::uint64_t data = request ? 0 : s.l2().tags.line.count();
  return noc::describe(n, s.network_place(direction, map),
                       {request ? s.latency.cluster_to_network : s.latency.partition_to_network,
                        mem::flits_of_data(n.packet, data)});
}

cluster::PortStage port_stage(const GpuSpec& s) {
  return {s.cluster.port,
          static_cast<std::uint32_t>(s.l1_layout().ports.size()),
          merger_kind(s.cluster.merger),
          s.cluster.make_merger(s.merger_place()),
          {s.latency.sm_to_cluster, s.latency.cluster_to_sm}};
}

std::optional<noc::NetworkStage> core_networks(const GpuSpec& s,
                                               const hierarchy::L1Organization& organization) {
  const mem::AddressMap map(s.memory);
  auto n = organization.networks(s.l1_setting(map));
  if (!n) return {};
  return noc::NetworkStage(noc::NetworkStage::kCores, std::move(n->request), std::move(n->reply), n->wires);
}

cache::L1Stage l1_stage(const GpuSpec& s) {
  const mem::AddressMap map(s.memory);
  const hierarchy::L1Setting setting = s.l1_setting(map);
  const hierarchy::L1Organization& o = *s.organization.design;
  return {o.l1(setting), o.layout(setting).l1s, o.place(setting), !s.gpu.flush_l1_at_kernel_end, s.gpu.clock};
}

}  // namespace

Stages::Stages(const GpuSpec& s)
    : sms(s.sm, s.sms(), sm_layout(s), load_front_kind(s.sm.load_front)),
      core_networks(gpu::core_networks(s, *s.organization.design)),
      l1s(l1_stage(s)),
      ports(port_stage(s)),
      networks(noc::NetworkStage::kMemory, described(s, noc::Direction::Request),
               described(s, noc::Direction::Reply),
               {s.latency.cluster_to_network, s.latency.network_to_cluster}),
      l2(s.partition, memory_layout(s), {s.latency.network_to_partition, s.latency.partition_to_network}),
      dram(s.partition, memory_layout(s)),
      all_{&sms, &l1s, &ports, &networks, &l2, &dram},
      rewrites_(s.software.make_rewriter != nullptr) {
  if (!core_networks) return;
  all_.insert(all_.begin() + 1, &*core_networks);
  l1s.stand_apart(*core_networks->picture().wires);
}

MachineStats Stages::zero() const {
  MachineStats s;
  for (const mem::Stage* stage : all()) stage->declare(s.groups);
  for (const mem::Stage* stage : all()) stage->declare_meters(s.groups);
  if (rewrites_) s.groups.make<SoftwareStats>(SoftwareStats::kGroup);
  s.groups.make<energy::EnergyStats>(energy::EnergyStats::kGroup);
  return s;
}

GpuSpec default_spec() {
  config::Config none;
  return config::read<GpuSpec>(none);
}

MachineStats every_statistic() {
  // Each from an empty section of its own: they have parameters of the same names.
  const auto by_default = [](const auto& kind) {
    config::Config none;
    config::Reader defaults(&none, nullptr);
    return kind.read(defaults);
  };
  const GpuSpec spec = default_spec();
  MachineStats all = Stages(spec).zero();
  for (const cluster::MergerKind& kind : mergers())
    by_default(kind)(spec.merger_place())->collect(all.groups);
  for (const sm::LoadFrontKind& kind : load_fronts()) sm::declare(by_default(kind), all.groups);
  for (const cache::PrefetcherKind& kind : prefetchers()) cache::declare(by_default(kind), all.groups);
  for (const hierarchy::OrganizationKind& kind : l1_organizations())
    if (const auto networks = core_networks(spec, *by_default(kind))) networks->declare(all.groups);
  for (const noc::TopologyKind& kind : topologies()) {
    const auto design = by_default(kind);
    for (const char* network : {"request_network", "reply_network"}) design->declare(network, all.groups);
  }
  for (const noc::PacketMergerKind& kind : packet_mergers())
    if (const auto merging = by_default(kind)) merging->declare(all.groups);
  all.groups.make<SoftwareStats>(SoftwareStats::kGroup);
  return all;
}

mem::Funnel funnel(const GpuSpec& spec, const MachineStats& s) {
  return mem::funnel(Stages(spec).all(), s.groups, spec.measure.funnel);
}

std::vector<mem::Identity> identities(const GpuSpec& spec, const MachineStats& s) {
  return mem::identities(Stages(spec).all(), s.groups);
}

std::vector<mem::Structure> structures(const GpuSpec& spec) {
  std::vector<mem::Structure> all;
  const Stages stages(spec);
  for (const mem::Stage* stage : stages.all())
    for (mem::Structure& s : stage->structures()) all.push_back(std::move(s));
  if (spec.energy.switch_flits == 0) return all;
  for (mem::Structure& s : all)
    for (mem::CrossbarPart& p : s.crossbars) {
      p.buffer_flits = spec.energy.switch_flits;
      p.output_flits = 0;
    }
  return all;
}

std::vector<std::string> without_structure(const GpuSpec& spec) {
  std::vector<std::string> all = {"caches of instructions, constants and textures"};
  const std::vector<mem::Structure> there = structures(spec);
  const auto told = [&](std::string_view name) {
    return std::any_of(there.begin(), there.end(), [&](const mem::Structure& s) {
      return s.name == name && s.queues.size() + s.arrays.size() + s.tables.size() != 0;
    });
  };
  const auto check = [&](const char* what, const std::string& chosen, const char* nothing,
                         const std::string& structure) {
    if (chosen != nothing && !told(structure)) all.push_back(fmt::format("{} '{}'", what, chosen));
  };
  check("load front", spec.sm.load_front, "in_order", fmt::format("load fronts '{}'", spec.sm.load_front));
  check("merger", spec.cluster.merger, "plain", "clusters' mergers");
  check("packet merger", spec.noc.request.merger, "none", "routers' mergers");
  check("prefetcher", spec.l1.prefetcher, "none", "");
  return all;
}

std::vector<mem::Curve> curves(const GpuSpec& spec) {
  std::vector<mem::Curve> all;
  const Stages stages(spec);
  for (const mem::Stage* stage : stages.all())
    for (mem::Curve& c : stage->curves()) all.push_back(std::move(c));
  for (mem::Curve& c : power_curves(spec)) all.push_back(std::move(c));
  return all;
}

}  // namespace heddle::gpu
