#include "gpu/gpu_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "cta/cta_mapper.h"
#include "cta/cta_scheduler.h"
#include "gpu/catalog.h"
#include "mem/routing.h"

namespace heddle::gpu {

using config::range;

void MachineSpec::fields(config::Reader& r) {
  r.field("name", name, "What the machine is called in reports");
  r.field("clusters", clusters, range(1u, 256u), "Clusters: groups of SMs that share a network port");
  r.field("sms_per_cluster", sms_per_cluster, range(1u, std::uint32_t{cluster::kMostSms}),
          "SMs of a cluster");
  r.field("sms", sms, range(0u, 1024u),
          "SMs in all; 0: clusters x sms_per_cluster. Fewer leave places empty");
  r.field(
      "sms_per_tpc", sms_per_tpc, range(1u, 16u),
      "SMs that stay together when there are fewer than places: clusters differ by whole groups, the first "
      "clusters being the smaller ones");
  r.field("clock", clock, range(1_MHz, 100_GHz), "Core clock");
  r.choice("l2_at_start", l2_at_start,
           {{"cold", L2Start::Cold, "empty"},
            {"host_copies", L2Start::HostCopies, "every copy from the host leaves its lines in L2"}},
           "What L2 holds before the first kernel");
  r.choice(
      "code_order", code_order,
      {{"as_written", exec::CodeOrder::AsWritten, "as in the PTX"},
       {"as_assembled", exec::CodeOrder::AsAssembled,
        "as the vendor's assembler makes it: counted loops unrolled by four, neighbouring loads from shared "
        "memory merged, wide multiply-adds fused, loads moved up within a basic block"},
       {"as_machine_code", exec::CodeOrder::AsMachineCode,
        "as_assembled, and each instruction as the machine instructions of Volta and later: some become part "
        "of others, some are several"}},
      "Code that a warp issues; results are the same");
  r.field("launch_overhead", launch_overhead, range(0u, 1'000'000u),
          "Cycles of every launch besides its work, as measured with an empty kernel");
  r.field("launch_rate", launch_rate, range(0u, 1'000'000u),
          "CTAs that the whole GPU launches in 1,000 cycles; 0: no limit");
  r.field("launch_interval", launch_interval, range(1u, 1000u),
          "Cycles between two launches of CTAs in a cluster");
  r.field("cta_turnaround", cta_turnaround, range(1u, 100'000u),
          "Cycles from a CTA's end to the start of the next one in its place");
  r.field("launch_reads", launch_reads, range(0_B, 1_MiB),
          "What every launch reads through L2 besides instructions and data: descriptors, parameters");
  r.field("instruction_bytes", instruction, range(0_B, 64_B),
          "A machine instruction (an issue slot): every launch reads its kernel's code through L2; 0: code "
          "uses no memory");
  r.field("flush_l1_at_kernel_end", flush_l1_at_kernel_end, "L1 contents do not survive a kernel");
  r.field("store_replies", store_replies,
          "Stores are acknowledged by packets of the reply network; false: nobody hears of a store that has "
          "left its SM, and fences and the ends of CTAs wait for no more than that (GPGPU-Sim 2)");
  r.field(
      "patience", patience, range(std::uint64_t{1000}, std::uint64_t{1} << 40),
      "Cycles in which one SM issues instructions while the machine sees no CTA start or end, no barrier, no "
      "store and no atomic that changes memory, before the watchdog ends the run; loops that repeat "
      "themselves "
      "are found sooner");
  if (clusters * sms_per_cluster > 1024) r.fail("sms_per_cluster", "at most 1024 SMs in all");
  if (sms != 0 && sms < clusters)
    r.fail("sms", fmt::format("{} SMs leave some of {} clusters without any", sms, clusters),
           "give fewer clusters, or 0 for full ones");
  if (sms > clusters * sms_per_cluster)
    r.fail("sms", fmt::format("{} SMs do not fit into {} clusters of {}", sms, clusters, sms_per_cluster));
  if (sms != 0 && sms % sms_per_tpc != 0)
    r.fail("sms_per_tpc", fmt::format("{} SMs are no multiple of {}", sms, sms_per_tpc));
  if (sms != 0 && cluster_size(clusters - 1) > sms_per_cluster)
    r.fail("sms_per_tpc",
           fmt::format("{} SMs in groups of {} over {} clusters give the last one {}, which is more "
                       "than sms_per_cluster ({})",
                       sms, sms_per_tpc, clusters, cluster_size(clusters - 1), sms_per_cluster));
  if (sms != 0 && cluster_size(0) == 0)
    r.fail("sms_per_tpc", fmt::format("{} groups of {} SMs leave some of {} clusters without any",
                                      sms / sms_per_tpc, sms_per_tpc, clusters));
}

std::uint32_t MachineSpec::first_sm(std::uint32_t cluster) const {
  if (sms == 0) return cluster * sms_per_cluster;
  const std::uint32_t tpcs = sms / sms_per_tpc, each = tpcs / clusters, larger = tpcs % clusters;
  const std::uint32_t smaller = clusters - larger;
  return (cluster * each + (cluster > smaller ? cluster - smaller : 0)) * sms_per_tpc;
}

namespace {

// Parameters of one CTA scheduler, under its own name.
struct CtaSchedulerSection {
  const cta::SchedulerKind& kind;
  cta::SchedulerFactory factory;
  void fields(config::Reader& r) { factory = kind.read(r); }
};

struct RewriterSection {
  const workload::LaunchRewriterKind& kind;
  workload::RewriterFactory factory;
  void fields(config::Reader& r) { factory = kind.read(r); }
};

template <class Kinds>
std::vector<config::NamedChoice> names_of(const Kinds& kinds) {
  std::vector<config::NamedChoice> names;
  for (const auto& k : kinds) names.push_back({std::string(k.name), std::string(k.description)});
  return names;
}

}  // namespace

void CtaSpec::fields(config::Reader& r) {
  r.choice("scheduler", scheduler, names_of(cta_schedulers()), "Which CTA goes to which SM");
  for (const auto& s : cta_schedulers()) {
    CtaSchedulerSection section{s, {}};
    r.section(s.name, section, s.description);
    if (s.name == scheduler)
      make_scheduler = std::move(section.factory);
    else
      r.unused({std::string(s.name) + "."}, fmt::format("cta.scheduler is '{}'", scheduler));
  }
  r.field("cap_small_grids", cap_small_grids,
          "An SM has no more CTAs of a kernel than its grid has for each SM, rounded up (GPGPU-Sim 3.2.2)");
  r.choice("mapping", mapping, names_of(cta_mappers()),
           "Order of a grid's CTAs, as software that computes its block's coordinates anew would have it");
  for (const auto& m : cta_mappers())
    if (m.name == mapping) make_mapper = m.make;
}

void SoftwareSpec::fields(config::Reader& r) {
  r.choice("rewriter", rewriter, names_of(launch_rewriters()),
           "What becomes of kernels and launches before the GPU has them");
  for (const auto& k : launch_rewriters()) {
    RewriterSection section{k, {}};
    r.section(k.name, section, k.description);
    if (k.name == rewriter)
      make_rewriter = std::move(section.factory);
    else
      r.unused({std::string(k.name) + "."}, fmt::format("software.rewriter is '{}'", rewriter));
  }
}

void LatencySpec::fields(config::Reader& r) {
  const auto limits = range(1u, 10'000u);
  r.field("sm_to_cluster", sm_to_cluster, limits, "Core cycles from an L1 to the cluster's port");
  r.field("cluster_to_network", cluster_to_network, limits, "From the port to the request network");
  r.field("network_to_partition", network_to_partition, limits, "From the request network to L2");
  r.field("partition_to_network", partition_to_network, limits, "From L2 to the reply network");
  r.field("network_to_cluster", network_to_cluster, limits,
          "From the reply network to the cluster's response FIFO");
  r.field("cluster_to_sm", cluster_to_sm, limits, "From the response FIFO to the L1");
}

void NetworksSpec::fields(config::Reader& r) {
  noc::NetworkSection there{request, topologies(), packet_mergers()}, back{reply, topologies()};
  r.section("request", there, "Network from clusters to memory partitions");
  r.section("reply", back, "Network back");
}

void LimitSpec::fields(config::Reader& r) {
  r.field(
      "kernel_cycles", kernel_cycles, range(std::uint64_t{0}, std::uint64_t{1} << 48),
      "Simulated cycles of a kernel, all its launches together, after which no CTA of it starts: the rest "
      "is executed without time; 0: no limit");
  r.choice("running", cut,
           {{"finish", false, "they are simulated to their end"},
            {"cut", true, "they issue nothing more, and what is left of them is executed without time"}},
           "What becomes of CTAs that run when kernel_cycles are over");
  if (kernel_cycles == 0) r.unused({"running"}, "no kernel has a limit (limit.kernel_cycles = 0)");
}

void MeasureSpec::fields(config::Reader& r) {
  r.field(
      "locality", locality,
      "Count redundant requests of each cluster's SMs within 500, 1000, 1500 and 2000 cycles (locality.*)");
  r.field(
      "pressure", pressure,
      "Count memory instructions that wait for their way to the L1, and line requests that a window between "
      "warps would save (pressure.*)");
  r.field("available", available,
          "Count warps that could issue, in every cycle in which their SM is not stalled (available.*)");
  r.field(
      "warp_states", warp_states,
      "Count warp cycles by what stands in the way of the warp's next instruction, in Nsight Compute's words "
      "(warp_states.*)");
  r.field("replication", replication,
          "Count misses of L1s whose line another L1 held, and copies of lines (replication.*)");
  r.field("funnel", funnel, "Count what could have been merged at every level (potential.*)");
  r.field("window", window, range(1u, 1'000'000u),
          "Core cycles within which requests for the same could have been merged (potential.*)");
  if (!funnel) r.unused({"window"}, "nothing is counted within it (measure.funnel = false)");
}

namespace {

// Parameters of one merger, under its own name.
struct MergerSection {
  const cluster::MergerKind& kind;
  cluster::MergerFactory factory;
  void fields(config::Reader& r) { factory = kind.read(r); }
};

}  // namespace

void ClusterSection::fields(config::Reader& r) {
  port.fields(r);
  std::vector<config::NamedChoice> names;
  for (const auto& m : mergers()) names.push_back({std::string(m.name), std::string(m.description)});
  r.choice("merger", merger, names, "What may merge the requests of the cluster's SMs");
  for (const auto& m : mergers()) {
    MergerSection section{m, {}};
    r.section(m.name, section, m.description);
    if (m.name == merger)
      make_merger = std::move(section.factory);
    else
      r.unused({std::string(m.name) + "."}, fmt::format("cluster.merger is '{}'", merger));
  }
}

namespace {

// The L1s' organization must suit the machine around it.
void check_organization(const config::Reader& r, const GpuSpec& spec) {
  const mem::AddressMap map(spec.memory);
  if (const auto o = spec.organization.design->obstacle(spec.l1_setting(map)))
    r.fail(o->key, o->message, o->advice);
}

// Parts of an L1 know nothing of each other.
void check_parts(const config::Reader& r, const GpuSpec& spec, bool apart) {
  if (spec.l1.tags.parts == 1 || !spec.l1.enabled) return;
  const auto no = [&](std::string_view what) {
    r.fail("l1.parts", fmt::format("{} takes an L1 for one whole", what), "give l1.parts = 1");
  };
  if (apart) no(fmt::format("l1.organization = \"{}\"", spec.organization.name));
  if (spec.sm.make_front) no(fmt::format("sm.load_front = \"{}\"", spec.sm.load_front));
  if (spec.l1.make_prefetcher) no(fmt::format("l1.prefetcher = \"{}\"", spec.l1.prefetcher));
  if (spec.measure.replication) no("measure.replication");
}

// What stands before and behind the L1s must suit where they stand.
void check_neighbours(const config::Reader& r, const GpuSpec& spec) {
  if (spec.organization.design == nullptr) return;  // parameters are only described
  const mem::AddressMap map(spec.memory);
  const hierarchy::L1Setting setting = spec.l1_setting(map);
  if (spec.sm.make_front && spec.organization.design->networks(setting))
    if (const auto o = spec.sm.make_front({})->apart_obstacle()) r.fail(o->key, o->message, o->advice);
  const hierarchy::L1Layout l1s = spec.organization.design->layout(setting);
  const bool apart = spec.organization.design->networks(setting) || l1s.l1s != setting.sms();
  if (const auto& merging = spec.noc.request.merging; apart && merging && merging->wants_ready_warps())
    r.fail("noc.request.merger",
           "its routers ask how many warps of a request's SM are ready, and these L1s stand apart from SMs",
           "choose another way to hold packets, or l1.organization = \"private\"");
  if (apart && !spec.gpu.store_replies)
    r.fail("gpu.store_replies",
           fmt::format("L1s of organization '{}' stand apart and acknowledge stores to their SMs",
                       spec.organization.name),
           "give l1.organization = private, or gpu.store_replies = true");
  check_parts(r, spec, apart);
  const bool shared = l1s.lanes() > l1s.ports.size();  // a port has several L1s
  const bool own = setting.clusters() == setting.sms() && l1s.l1s == setting.sms();
  const bool merges = !merger_kind(spec.cluster.merger).merged_by.empty();
  if (merges && !shared && !own)
    r.fail("cluster.merger",
           "no port of the memory networks sees requests of several L1s, and an L1 merges its own",
           "give cluster.merger = \"plain\", or another l1.organization");
}

// A network has a port per cluster on one side (at most 256), one per L2 slice on the other.
void check_ports(const config::Reader& r, const GpuSpec& spec, noc::Direction direction) {
  const bool request = direction == noc::Direction::Request;
  const noc::NetworkSpec& network = request ? spec.noc.request : spec.noc.reply;
  const noc::TopologyKind& t = noc::find_topology(network.topology, topologies());
  if (const std::uint32_t parts = spec.l1_layout().parts; parts > 1 && !t.has_parts)
    r.fail("l1.organization",
           fmt::format("its L1s want {} separate memory networks, which a {} cannot be", parts, t.name),
           "choose crossbar for noc.request.topology and noc.reply.topology");
  if (spec.slices() > t.most_ports)
    r.fail("memory.partitions",
           fmt::format("{} partitions of {} L2 slices need a port each, and a {} has at most {}",
                       spec.memory.partitions, spec.memory.slices, t.name, t.most_ports),
           "give fewer memory.partitions or l2.slices");
  const mem::AddressMap map(spec.memory);
  if (network.design == nullptr) return;  // parameters are only described
  if (const auto o = network.design->obstacle(network, spec.network_place(direction, map)))
    r.fail(fmt::format("noc.{}.{}", request ? "request" : "reply", o->key), o->message, o->advice);
}

// What stands at a place of the floor does so for both networks; and packets from one sender to one receiver
// keep their order, or atomics of a thread would change places.
void check_both_networks(const config::Reader& r, const GpuSpec& spec) {
  const noc::NetworkSpec &there = spec.noc.request, &back = spec.noc.reply;
  if (there.design == nullptr) return;  // parameters are only described
  for (const noc::NetworkSpec* n : {&there, &back})
    if (!n->design->keeps_order())
      r.fail(n == &there ? "noc.request.mesh.vc_assignment" : "noc.reply.mesh.vc_assignment",
             fmt::format("this {} does not keep the order of packets from one sender to one receiver",
                         n->topology),
             "choose \"destination\"; `heddle noc` measures networks without order, too");
  if (there.topology != back.topology) return;
  const mem::AddressMap map(spec.memory);
  const std::string a = there.design->floor_plan(spec.network_place(noc::Direction::Request, map));
  const std::string b = back.design->floor_plan(spec.network_place(noc::Direction::Reply, map));
  if (a != b)
    r.fail("noc.reply.topology",
           fmt::format("both networks stand on one floor, but that of the requests is a {} of {}, that of "
                       "the replies one of {}",
                       there.topology, a, b),
           "give noc.request and noc.reply the same width, height, concentration and placement");
}

// A packet goes on when the next buffer has room for all of it.
void check_buffers(const config::Reader& r, const GpuSpec& spec) {
  const std::uint64_t line = spec.l2().tags.line.count();
  for (const bool request : {true, false}) {
    const noc::NetworkSpec& n = request ? spec.noc.request : spec.noc.reply;
    const std::uint32_t longest = n.packet.places(mem::flits_of_data(n.packet, line));
    const std::uint32_t injection = request ? spec.cluster.port.injection_buffer : longest;
    if (n.design == nullptr || std::min(n.design->least_buffer(n), injection) >= longest) continue;
    r.fail(request ? "noc.request.buffers" : "noc.reply.buffers",
           fmt::format("a packet with a line's data has {} flits, and not all buffers hold so many", longest),
           fmt::format("give {} and every buffer of the network at least {}, or count in packets",
                       request ? "cluster.injection_buffer" : "noc.reply.input_buffer", longest));
  }
}

// A line's bytes lie together in a row of DRAM.
void check_line_in_row(const config::Reader& r, const GpuSpec& spec) {
  if (mem::AddressMap::column_run(spec.memory) < spec.l2().tags.line.count())
    r.fail("memory.bits",
           fmt::format("the bytes of a line of {} would not lie together in a row",
                       to_string(spec.l2().tags.line)),
           "let the lowest bits be C");
}

// The L1s: what one is like, and where they stand.
struct L1sSection {
  cache::L1Section l1;
  OrganizationChoice& organization;
  void fields(config::Reader& r) {
    l1.fields(r);
    organization.fields(r);
  }
};

// Parameters of one organization, under its own name.
struct OrganizationSection {
  const hierarchy::OrganizationKind& kind;
  std::shared_ptr<const hierarchy::L1Organization> design;
  void fields(config::Reader& r) { design = kind.read(r); }
};

struct SmSection {
  sm::SmSpec& sm;
  void fields(config::Reader& r) { sm.fields(r, warp_schedulers(), load_fronts()); }
};

// The L2 of a partition: number of slices and clock beside what each slice is.
struct L2Section {
  hierarchy::PartitionSpec& partition;
  std::uint32_t& slices;
  void fields(config::Reader& r) {
    r.field("slices", slices, range(1u, 64u),
            "L2 slices of a memory partition, each with a network port of its own");
    r.field("clock", partition.l2_clock, range(0_MHz, 100_GHz), "L2 clock; 0: the core's");
    if (partition.l2_clock != Frequency{0} && partition.l2_clock < 1_MHz)
      r.fail("clock", "an L2 clock below 1 MHz",
             "give it with its unit, as in \"1.4GHz\", or 0 for the core's");
    r.choice("kernel_end", partition.kernel_end,
             {{"keep", hierarchy::KernelEnd::Keep, "the next kernel finds the lines"},
              {"flush", hierarchy::KernelEnd::Flush, "dirty sectors are written back, all lines forgotten"}},
             "What becomes of the lines in L2 at a kernel's end");
    partition.l2.fields(r);
  }
};

struct DramSection {
  hierarchy::PartitionSpec& partition;
  void fields(config::Reader& r) {
    r.field("channels", partition.channels, range(1u, 16u), "DRAM channels of a memory partition");
    partition.dram.fields(r);
  }
};

}  // namespace

void OrganizationChoice::fields(config::Reader& r) {
  std::vector<config::NamedChoice> names;
  for (const auto& k : l1_organizations()) names.push_back({std::string(k.name), std::string(k.description)});
  r.choice("organization", name, names, "Where L1s stand and who uses which");
  for (const auto& k : l1_organizations()) {
    OrganizationSection section{k, nullptr};
    r.section(k.name, section, k.description);
    if (k.name == name)
      design = std::move(section.design);
    else
      r.unused({std::string(k.name) + "."}, fmt::format("l1.organization is '{}'", name));
  }
}

void GpuSpec::fields(config::Reader& r) {
  r.section("gpu", gpu, "The machine as a whole");
  SmSection sm_section{sm};
  r.section("sm", sm_section, "Streaming multiprocessor");
  L1sSection l1_section{{l1, prefetchers()}, organization};
  r.section("l1", l1_section, "L1 data cache");
  r.section("cluster", cluster, "What the SMs of a cluster share");
  r.section("noc", noc, "Networks between clusters and memory partitions");
  r.section("latency", latency, "Channels between units");
  L2Section l2_section{partition, memory.slices};
  r.section("l2", l2_section, "L2 cache");
  DramSection dram_section{partition};
  r.section("dram", dram_section, "DRAM of a memory partition");
  memory.banks = partition.dram.banks * partition.channels;
  r.section("memory", memory, "Where addresses lie");
  r.section("cta", cta, "CTA scheduling");
  r.section("software", software, "What software does to kernels and launches");
  r.section("measure", measure, "What is measured beside the usual statistics");
  r.section("limit", limit, "How much of a program is simulated");
  r.section("energy", energy, "What runs cost in energy");
  r.section("perturb", perturb,
            "Changes that no result depends on, to see how much of a difference is chance");
  if (sm.unified_l1.count() != 0)
    r.unused({"l1.ways"}, "sm.unified_l1 is divided per kernel and decides the ways");
  if (l1.tags.line != l2().tags.line)
    r.fail("l2.line", fmt::format("L1 lines have {}, L2 lines {}: they must be equal",
                                  to_string(l1.tags.line), to_string(l2().tags.line)));
  l1.store_replies = gpu.store_replies;
  if (partition.kernel_end == hierarchy::KernelEnd::Flush) sm.icache_kept = false;
  if (sm.textures.there() && sm.textures.line > l1.tags.line)
    r.fail("sm.texture_cache.line",
           fmt::format("a line of textures has {}, one of the L1 {}", to_string(sm.textures.line),
                       to_string(l1.tags.line)),
           "give at most l1.line");
  check_organization(r, *this);
  check_neighbours(r, *this);
  for (const noc::Direction d : {noc::Direction::Request, noc::Direction::Reply}) check_ports(r, *this, d);
  check_both_networks(r, *this);
  check_buffers(r, *this);
  check_line_in_row(r, *this);
  if (memory.interleave.count() % l2().tags.line.count() != 0)
    r.fail("memory.interleave", "must be a multiple of the L2 line");
  if (partition.dram.burst_bytes() > memory.row.count())
    r.fail("dram.burst",
           fmt::format("a burst moves {}, more than a row of {} holds",
                       to_string(Bytes{partition.dram.burst_bytes()}), to_string(memory.row)),
           "give a shorter burst, a narrower bus, or a larger memory.row");
}

noc::NetworkPlace GpuSpec::network_place(noc::Direction direction, const mem::AddressMap& map) const {
  using noc::Site;
  const hierarchy::L1Layout l1s = organization.design->layout(l1_setting(map));
  const auto ports = static_cast<std::uint32_t>(l1s.ports.size());
  std::vector<Site> at_clusters(ports), at_slices(map.slices());
  for (std::uint32_t c = 0; c < ports; ++c)
    at_clusters[mem::port_of_cluster(c)] = {Site::Kind::Cluster, c, 0};
  for (std::uint32_t s = 0; s < map.slices(); ++s)
    at_slices[mem::port_of_slice(s)] = {Site::Kind::Slice, s, map.partition_of(s)};
  const bool request = direction == noc::Direction::Request;
  std::vector<noc::NetworkPlace::Part> parts;
  for (std::uint32_t k = 0; k < l1s.parts; ++k) {
    const std::uint32_t port = k * (ports / l1s.parts), slice = k * (map.slices() / l1s.parts);
    parts.push_back(request ? noc::NetworkPlace::Part{port, slice} : noc::NetworkPlace::Part{slice, port});
  }
  if (!request) at_clusters.swap(at_slices);
  return {request ? "request network" : "reply network",
          direction,
          std::move(at_clusters),
          std::move(at_slices),
          gpu.clock,
          noc::clock_of(request ? noc.request : noc.reply, gpu.clock),
          map,
          std::move(parts),
          l1s.parts > 1};
}

hierarchy::L1Setting GpuSpec::l1_setting(const mem::AddressMap& map) const {
  hierarchy::L1Setting s{{}, l1_for(*this, 0), sm.unified_l1, gpu.clock, map, noc.request, noc.reply};
  for (std::uint32_t c = 0; c <= gpu.clusters; ++c) s.first_sm.push_back(gpu.first_sm(c));
  return s;
}

hierarchy::L1Layout GpuSpec::l1_layout() const {
  const mem::AddressMap map(memory);
  return organization.design->layout(l1_setting(map));
}

cluster::MergerPlace GpuSpec::merger_place() const {
  std::size_t most = 0;
  for (const auto& port : l1_layout().ports) most = std::max(most, port.size());
  return merger_place(0, static_cast<std::uint32_t>(most));
}

cache::L1Spec l1_for(const GpuSpec& spec, std::uint64_t shared_bytes) {
  cache::L1Spec l1 = spec.l1;
  if (spec.sm.unified_l1.count() == 0) return l1;
  const std::uint64_t line_sets = l1.tags.line.count() * l1.tags.sets;
  const std::uint64_t left =
      spec.sm.unified_l1.count() > shared_bytes ? spec.sm.unified_l1.count() - shared_bytes : 0;
  l1.tags.ways = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, left / line_sets));
  return l1;
}

}  // namespace heddle::gpu
