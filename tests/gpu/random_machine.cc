#include "random_machine.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "gpu/catalog.h"
#include "sm/instruction_timing.h"
#include "tests/contract/variants.h"
#include "workload/random.h"

namespace heddle::gpu {
namespace {

// Every choice of a setting that belongs to no slot; which one, the seed decides. Not so few memory
// instructions under way, or so few active warps, that those who spin on the lock can take all places:
// schedulers promise no fairness.
const std::vector<std::vector<std::string>> kChoices = {
    {"gpu.clusters=1", "gpu.clusters=2", "gpu.clusters=5"},
    {"gpu.sms_per_cluster=1", "gpu.sms_per_cluster=2", "gpu.sms_per_cluster=3"},
    {"gpu.launch_overhead=0", "gpu.launch_overhead=700"},
    {"gpu.launch_rate=0", "gpu.launch_rate=7"},
    {"gpu.launch_interval=1", "gpu.launch_interval=13"},
    {"gpu.cta_turnaround=1", "gpu.cta_turnaround=3", "gpu.cta_turnaround=90"},
    {"gpu.launch_reads=0B", "gpu.launch_reads=4KiB"},
    {"gpu.instruction_bytes=0B", "gpu.instruction_bytes=16B"},
    {"gpu.flush_l1_at_kernel_end=true", "gpu.flush_l1_at_kernel_end=false"},
    {"gpu.store_replies=true", "gpu.store_replies=true", "gpu.store_replies=false"},
    {"gpu.l2_at_start=cold", "gpu.l2_at_start=host_copies"},
    {"sm.schedulers=1", "sm.schedulers=2", "sm.schedulers=4"},
    {"sm.active_warps=4", "sm.active_warps=8"},
    {"sm.swl.warps=8", "sm.swl.warps=16"},
    {"sm.sub_core=true", "sm.sub_core=false"},
    {"sm.issue_width=1", "sm.issue_width=2"},
    {"sm.count=as_ptx", "sm.count=as_sass"},
    {"sm.ctas=1", "sm.ctas=2", "sm.ctas=8"},
    {"sm.lines_per_cycle=1", "sm.lines_per_cycle=3"},
    {"sm.segments=line", "sm.segments=by_size"},
    {"sm.coalesced_lanes=32", "sm.coalesced_lanes=16"},
    {"sm.warp_overlap=true", "sm.warp_overlap=true", "sm.warp_overlap=false"},
    {"sm.lsu_stalls_issue=false", "sm.lsu_stalls_issue=false", "sm.lsu_stalls_issue=true"},
    {"sm.local_layout=per_warp", "sm.local_layout=interleaved"},
    {"sm.shared_lanes=32", "sm.shared_lanes=16"},
    {"sm.shared_ports=1", "sm.shared_ports=2"},
    {"sm.texture_cache.bytes=0B", "sm.texture_cache.bytes=256B", "sm.texture_cache.bytes=8KiB"},
    {"sm.texture_cache.mshr_entries=1", "sm.texture_cache.mshr_entries=64"},
    {"sm.load_pipeline=0", "sm.load_pipeline=5"},
    {"sm.in_flight=16", "sm.in_flight=1024"},
    {"sm.store_ack=true", "sm.store_ack=false"},
    {"sm.icache_bytes=0B", "sm.icache_bytes=256B"},
    {"sm.constant_cache_bytes=0B", "sm.constant_cache_bytes=256B"},
    {"l1.enabled=true", "l1.enabled=true", "l1.enabled=true", "l1.enabled=false"},
    {"l1.sets=1", "l1.sets=3", "l1.sets=64"},
    {"l1.ways=1", "l1.ways=2", "l1.ways=6"},
    {"l1.sectored=true", "l1.sectored=false"},
    {"l1.fill_latency=0", "l1.fill_latency=11"},
    {"l1.write=evict", "l1.write=through", "l1.write=through_allocate"},
    {"l1.local_write_back=true", "l1.local_write_back=false"},
    {"l1.allocate=on_miss", "l1.allocate=on_fill"},
    {"l1.bypass_global=false", "l1.bypass_global=true"},
    {"l1.mshr_entries=1", "l1.mshr_entries=2", "l1.mshr_entries=32"},
    {"l1.mshr_merges=1", "l1.mshr_merges=8"},
    {"l1.passing=1", "l1.passing=1024"},
    {"l1.read_places=0", "l1.read_places=2"},
    {"l1.misses_per_cycle=0", "l1.misses_per_cycle=1"},
    {"l1.sector_sends=false", "l1.sector_sends=true"},
    {"l1.store_lines=0", "l1.store_lines=3"},
    {"l1.replies_per_cycle=0", "l1.replies_per_cycle=1", "l1.replies_per_cycle=2"},
    {"l1.stores_need_way=false", "l1.stores_need_way=true"},
    {"l1.overtaken_fill=dropped", "l1.overtaken_fill=kept"},
    {"l1.port_bytes=0B", "l1.port_bytes=32B"},
    {"l1.prefetcher=none", "l1.prefetcher=next_line"},
    {"cluster.requests_per_cycle=0", "cluster.requests_per_cycle=1"},
    {"cluster.responses_per_cycle=1", "cluster.responses_per_cycle=2"},
    {"cluster.broadcast=true", "cluster.broadcast=false"},
    {"noc.request.virtual_channels=1", "noc.request.virtual_channels=3"},
    {"noc.request.flit=8B", "noc.request.flit=64B"},
    {"noc.request.clock=0Hz", "noc.request.clock=370MHz", "noc.request.clock=3GHz"},
    {"noc.request.allocator_iterations=1", "noc.request.allocator_iterations=3"},
    {"noc.request.ejection=1", "noc.request.ejection=2"},
    {"noc.request.buffers=packets", "noc.request.buffers=packets", "noc.request.buffers=flits"},
    {"noc.reply.flit=8B", "noc.reply.flit=64B"},
    {"noc.reply.virtual_channels=1", "noc.reply.virtual_channels=2"},
    {"noc.reply.ejection=1", "noc.reply.ejection=3"},
    {"noc.reply.buffers=packets", "noc.reply.buffers=packets", "noc.reply.buffers=flits"},
    {"noc.reply.clock=0Hz", "noc.reply.clock=640MHz", "noc.reply.clock=4GHz"},
    {"l2.enabled=true", "l2.enabled=true", "l2.enabled=true", "l2.enabled=false"},
    {"l2.merging=true", "l2.merging=false"},
    {"l2.slices=1", "l2.slices=2"},
    {"l2.kernel_end=keep", "l2.kernel_end=flush"},
    {"l2.own_fill_port=false", "l2.own_fill_port=true"},
    {"l2.lookups_need_port=false", "l2.lookups_need_port=true"},
    {"l2.merges_as_misses=false", "l2.merges_as_misses=true"},
    {"l2.replies_per_cycle=0", "l2.replies_per_cycle=1", "l2.replies_per_cycle=3"},
    {"l2.write_miss_ack=accepted", "l2.write_miss_ack=memory"},
    {"l2.sets=1", "l2.sets=5", "l2.sets=64"},
    {"l2.ways=1", "l2.ways=2", "l2.ways=16"},
    {"l2.sectored=true", "l2.sectored=false"},
    {"l2.clock=0Hz", "l2.clock=610MHz", "l2.clock=2GHz"},
    {"l2.mshr_entries=1", "l2.mshr_entries=32"},
    {"l2.mshr_merges=1", "l2.mshr_merges=8"},
    {"l2.write_miss=fetch", "l2.write_miss=validate", "l2.write_miss=no_allocate"},
    {"l2.atomic_interval=1", "l2.atomic_interval=9"},
    {"memory.partitions=1", "memory.partitions=3", "memory.partitions=4"},
    {"memory.hash=linear", "memory.hash=xor", "memory.hash=polynomial"},
    {"dram.clock=1GHz", "dram.clock=311MHz", "dram.clock=1777MHz"},
    {"dram.row_hit_cap=0", "dram.row_hit_cap=2"},
    {"dram.bank_group_order=modulo", "dram.bank_group_order=blocks"},
    {"dram.bank_places=false", "dram.bank_places=true"},
    {"dram.one_placement=false", "dram.one_placement=true"},
    {"dram.command_order=columns_first", "dram.command_order=bank_turns"},
    {"dram.recall=true", "dram.recall=false"},
    {"dram.write_recovery=data", "dram.write_recovery=command"},
    {"dram.write_extra=0B", "dram.write_extra=16B"},
    {"dram.delay=0", "dram.delay=1", "dram.delay=90"},
    {"dram.credits=0", "dram.credits=1", "dram.credits=20"},
    {"dram.tRCDW=0", "dram.tRCDW=1", "dram.tRCDW=60"},
    {"dram.channels=1", "dram.channels=2"},
    {"dram.pseudo_channels=1", "dram.pseudo_channels=2"},
    {"dram.write_drain_high=0", "dram.write_drain_high=4"},
    {"dram.minimum_latency=0", "dram.minimum_latency=30"},
    {"dram.tREFI=0", "dram.tREFI=20000"},
    {"dram.tRFC=150", "dram.tRFC=150"},
    {"measure.funnel=false", "measure.funnel=true"},
    {"measure.locality=false", "measure.locality=true"},
    {"measure.pressure=false", "measure.pressure=true"},
    {"measure.available=false", "measure.available=true"},
    {"measure.warp_states=false", "measure.warp_states=true"},
    {"perturb.start_jitter=0", "perturb.start_jitter=40"},
};

constexpr std::array kBufferNames = {"buffer", "queue", "fifo", "places"};

bool is_buffer(const config::Param& p) {
  if (p.path == "l1.read_places") return false;  // how many of a buffer's
  const std::string name = p.path.substr(p.path.rfind('.') + 1);
  if (p.path.starts_with("l1.decoupled.q")) return true;
  return p.kind == "integer" && std::any_of(kBufferNames.begin(), kBufferNames.end(), [&](const char* part) {
           return name.find(part) != std::string::npos;
         });
}

// A wire between units.
bool is_link(const config::Param& p) {
  return p.path.starts_with("latency.") || p.path.ends_with(".link_latency") ||
         p.path.ends_with(".link_delay");
}

// Not drawn for any slot or parameter: why.
struct Excluded {
  std::string_view name, why;
};
constexpr std::array kExcluded = {
    Excluded{"pseudo_lru", "needs a power of two of ways or lines, which other draws decide"},
    Excluded{"l1.decoupled.nodes", "draw_nodes: must suit SMs and slices"},
    Excluded{"l1.decoupled.clusters", "draw_nodes"},
    Excluded{"noc.request.hierarchical.clusters", "draw_stages: must divide ports"},
    Excluded{"noc.request.hierarchical.links", "draw_stages"},
    Excluded{"noc.reply.hierarchical.clusters", "draw_stages"},
    Excluded{"noc.reply.hierarchical.links", "draw_stages"},
    Excluded{"noc.request.mesh.width", "draw_meshes: both networks stand on one floor, and all must fit"},
    Excluded{"noc.request.mesh.height", "draw_meshes"},
    Excluded{"noc.request.mesh.concentration", "draw_meshes"},
    Excluded{"noc.request.mesh.placement", "draw_meshes"},
    Excluded{"noc.request.mesh.slice_nodes", "draw_meshes"},
    Excluded{"noc.request.mesh.routing", "draw_meshes: needs virtual channels"},
    Excluded{"noc.request.mesh.vc_assignment", "machines keep the order of packets"},
    Excluded{"noc.reply.mesh.width", "draw_meshes"},
    Excluded{"noc.reply.mesh.height", "draw_meshes"},
    Excluded{"noc.reply.mesh.concentration", "draw_meshes"},
    Excluded{"noc.reply.mesh.placement", "draw_meshes"},
    Excluded{"noc.reply.mesh.slice_nodes", "draw_meshes"},
    Excluded{"noc.reply.mesh.routing", "draw_meshes"},
    Excluded{"noc.reply.mesh.vc_assignment", "machines keep the order of packets"},
    Excluded{"noc.request.packet_coalescing.most_requests", "draw_bundles: must fit buffers"},
    Excluded{"noc.request.packet_coalescing.request", "draw_bundles"},
    Excluded{"noc.request.packet_coalescing.hold", "draw_bundles: not every organization knows ready warps"},
    Excluded{"sm.swl.warps", "one of kChoices: not fewer warps than spin on the lock"},
};

template <class List>
const auto& pick(const List& list, workload::Random& random) {
  return list[random.below(static_cast<std::uint32_t>(list.size()))];
}

bool excluded(const std::string& name) {
  return std::any_of(kExcluded.begin(), kExcluded.end(), [&](const Excluded& e) { return e.name == name; });
}

std::vector<std::string> without_excluded(std::vector<std::string> names) {
  std::erase_if(names, excluded);
  return names;
}

// The parameters that implementations of a slot bring, in sections under their names: half of them differ
// from their defaults, sizes are as small as they may be.
void draw_parameters(const std::string& section, const config::ParamTable& table, workload::Random& random,
                     Settings& settings) {
  for (const config::Param& p : table.params()) {
    if (!p.path.starts_with(section) || is_link(p) || is_buffer(p) || excluded(p.path)) continue;
    const std::vector<std::string> values = without_excluded(contract::values_to_try(p));
    if (values.empty() || random.below(2) == 0) continue;
    settings.push_back(p.path + "=" + pick(values, random));
  }
}

// An implementation of each slot that the catalog has.
void draw_slots(const config::ParamTable& table, workload::Random& random, Settings& settings) {
  for (const Slot& slot : catalog()) {
    const std::string key(slot.key);
    std::vector<std::string> names;
    for (const config::NamedChoice& c : slot.implementations()) names.push_back(c.name);
    names = without_excluded(std::move(names));
    settings.push_back(key + "=" + pick(names, random));
    const std::string parent = key.substr(0, key.rfind('.') + 1);
    for (const std::string& name : names) draw_parameters(parent + name + ".", table, random, settings);
  }
}

bool drawn(const Settings& settings, std::string_view what) {
  return std::find(settings.begin(), settings.end(), what) != settings.end();
}

// The value of a setting; of several, the last counts.
std::string_view value_of(const Settings& settings, std::string_view key) {
  std::string_view value;
  for (const std::string& s : settings)
    if (s.size() > key.size() && s.starts_with(key) && s[key.size()] == '=')
      value = std::string_view(s).substr(key.size() + 1);
  return value;
}

// The value that was drawn for a number.
std::uint32_t number(const Settings& settings, std::string_view key) {
  for (const std::string& s : settings)
    if (s.starts_with(key)) return static_cast<std::uint32_t>(std::stoul(s.substr(key.size() + 1)));
  return 0;
}

// Parts of private L1s, as the sets that were drawn allow.
void draw_parts(workload::Random& random, Settings& settings) {
  const bool whole = value_of(settings, "l1.organization") != "private" ||
                     value_of(settings, "sm.load_front") != "in_order" ||
                     value_of(settings, "l1.prefetcher") != "none";
  if (whole || !drawn(settings, "l1.sets=64")) return;
  settings.push_back(fmt::format("l1.parts={}", 1u << random.below(3)));
}

// DC-L1 nodes and their clusters, as the SMs and L2 slices that were drawn allow (rules 7 to 9 of dcl1.md).
void draw_nodes(workload::Random& random, Settings& settings) {
  const std::uint32_t clusters = number(settings, "gpu.clusters");
  const std::uint32_t sms = clusters * number(settings, "gpu.sms_per_cluster");
  const std::uint32_t slices = number(settings, "memory.partitions") * number(settings, "l2.slices");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> possible = {{0, 0}, {0, 1}};
  for (std::uint32_t z = 1; z <= sms; ++z)
    for (std::uint32_t m = 1; z * m <= sms; ++m)
      if (sms % z == 0 && (z == 1 || slices % m == 0)) possible.emplace_back(z * m, z);
  // Nodes of several homes have separate memory networks, which only crossbars can be.
  const bool crossbars =
      drawn(settings, "noc.request.topology=crossbar") && drawn(settings, "noc.reply.topology=crossbar");
  if (drawn(settings, "l1.organization=decoupled") && !crossbars)
    std::erase_if(possible, [&](const auto& p) {
      const std::uint32_t y = p.first == 0 ? sms : p.first, m = y / (p.second == 0 ? y : p.second);
      return m > 1 && slices % m == 0;
    });
  const auto [nodes, z] = pick(possible, random);
  settings.push_back(fmt::format("l1.decoupled.nodes={}", nodes));
  settings.push_back(fmt::format("l1.decoupled.clusters={}", z));
}

std::uint32_t divisor_of(std::uint32_t n, workload::Random& random) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return pick(all, random);
}

// Crossbars of a hierarchy's stages, as the ports that were drawn allow. Those of cores are as many as
// clusters where L1s are private.
void draw_stages(workload::Random& random, Settings& settings) {
  const std::uint32_t slices = number(settings, "memory.partitions") * number(settings, "l2.slices");
  for (const char* network : {"request", "reply"}) {
    const std::uint32_t clusters = divisor_of(number(settings, "gpu.clusters"), random);
    if (drawn(settings, "l1.organization=private") && random.below(2) == 0)
      settings.push_back(fmt::format("noc.{}.hierarchical.clusters={}", network, clusters));
    if (random.below(2) == 0)
      settings.push_back(fmt::format("noc.{}.hierarchical.links={}", network, divisor_of(slices, random)));
  }
}

// The floor of meshes, one for both networks, and what depends on their virtual channels.
void draw_meshes(workload::Random& random, Settings& settings) {
  const char* const placement = std::array{"edge", "diamond", "checkerboard", "tiled"}[random.below(4)];
  const std::uint32_t concentration = 1 + random.below(3), width = random.below(6);
  for (const char* network : {"request", "reply"}) {
    const std::string mesh = fmt::format("noc.{}.mesh.", network);
    settings.push_back(mesh + "placement=" + placement);
    settings.push_back(fmt::format("{}concentration={}", mesh, concentration));
    settings.push_back(fmt::format("{}width={}", mesh, width));
    const bool several = number(settings, fmt::format("noc.{}.virtual_channels", network)) > 1;
    const char* const routing = std::array{"xy", "yx", "o1turn"}[random.below(several ? 3 : 2)];
    settings.push_back(mesh + "routing=" + routing);
  }
}

// Where buffers of a network hold flits, the longest packet must fit: 128 bytes and a header, 8 bytes each.
constexpr std::uint32_t kLongest = 17;
bool counts_flits(const std::string& path, const Settings& settings) {
  const bool request = path.starts_with("noc.request.") || path == "cluster.injection_buffer";
  const bool reply = path.starts_with("noc.reply.");
  return (request && drawn(settings, "noc.request.buffers=flits")) ||
         (reply && drawn(settings, "noc.reply.buffers=flits"));
}

// Every link and every buffer that the description has, so that a new one is drawn as well. Most are short:
// what is wrong shows where something is full, or where one link is much longer than its neighbours.
void draw_sizes(const config::ParamTable& table, workload::Random& random, Settings& settings) {
  for (const config::Param& p : table.params()) {
    std::uint32_t most = 0;
    if (is_link(p))
      most = std::array{3u, 30u, 200u}[random.below(3)];
    else if (is_buffer(p))
      most = std::array{1u, 4u, 64u}[random.below(3)];
    if (most == 0) continue;
    std::uint32_t least = std::max(1u, static_cast<std::uint32_t>(contract::least_of(p).value_or(1)));
    // A write-back and the miss that makes it.
    if (p.path == "l1.miss_queue" || p.path == "l1.decoupled.q3") least = 2;
    if (p.path == "dram.queue") least = 4;                              // dram.write_drain_high
    if (p.path == "l2.dram_queue" && random.below(2) == 0) continue;    // there is none
    if (p.path == "dram.bank_queue" && random.below(2) == 0) continue;  // one for all banks
    if (is_buffer(p) && counts_flits(p.path, settings)) least = kLongest;
    std::uint32_t size = least + random.below(std::max(least, most) - least + 1);
    if (p.limits.find("power of two") != std::string::npos) size = std::bit_floor(size);
    settings.push_back(fmt::format("{}={}", p.path, size));
  }
}

// The last value that was given for a number.
std::uint32_t last_number(const Settings& settings, std::string_view key) {
  std::uint32_t value = 0;
  for (const std::string& s : settings)
    if (s.starts_with(key) && s[key.size()] == '=')
      value = static_cast<std::uint32_t>(std::stoul(s.substr(key.size() + 1)));
  return value;
}

// Packets of several requests as long as the buffers allow that were drawn.
void draw_bundles(workload::Random& random, Settings& settings) {
  const std::uint32_t flit = last_number(settings, "noc.request.flit"),
                      bytes = 1 + random.below(std::min(16u, flit));
  const std::uint32_t places = last_number(settings, "noc.request.output_buffer");
  std::uint32_t flits = last_number(settings, "noc.request.mesh.vc_buffer");
  const bool by_flit = drawn(settings, "noc.request.buffers=flits");
  if (by_flit) flits = std::min(flits, places);
  std::uint32_t most = std::max(1u, flits * flit / bytes);
  if (!by_flit) most = std::min(most, places);
  const bool apart = !drawn(settings, "l1.organization=private");
  const std::string own = "noc.request.packet_coalescing.";
  settings.push_back(fmt::format("{}request={}B", own, bytes));
  settings.push_back(fmt::format("{}most_requests={}", own, std::min(most, 1024u)));
  settings.push_back(own + "hold=" + std::array{"fixed", "dynamic", "slack"}[random.below(apart ? 2 : 3)]);
}

}  // namespace

void suit_organization(Settings& settings) {
  if (drawn(settings, "l1.organization=decoupled")) {
    settings.push_back("sm.mrpb.bypass=false");
    if (drawn(settings, "sm.load_front=banked")) settings.push_back("sm.load_front=in_order");
  }
  if (value_of(settings, "l1.organization") != "private") settings.push_back("gpu.store_replies=true");
  // Other fronts do not tell when a store has left.
  if (value_of(settings, "sm.load_front") != "in_order")
    settings.insert(settings.end(), {"sm.warp_overlap=true", "sm.lsu_stalls_issue=false"});
  // Whether L1s share ports, their organization knows.
  try {
    lab(settings);
  } catch (const Error& e) {
    if (e.message().starts_with("cluster.merger:")) settings.push_back("cluster.merger=plain");
  }
}

Settings random_machine(std::uint64_t seed) {
  workload::Random random(seed);
  Settings settings = {"gpu.patience=3000000"};
  for (const auto& c : kChoices) settings.push_back(c[random.below(static_cast<std::uint32_t>(c.size()))]);
  const config::ParamTable table = config::describe<GpuSpec>();
  draw_slots(table, random, settings);
  draw_nodes(random, settings);
  draw_stages(random, settings);
  draw_meshes(random, settings);
  draw_sizes(table, random, settings);
  draw_bundles(random, settings);
  // 16 banks in each channel, rows of 4 KiB.
  if (random.below(3) == 0)
    settings.push_back(drawn(settings, "dram.channels=2") ? "memory.bits=BCCBB.BCB.CCCCCCCCC"
                                                          : "memory.bits=BBBCCCC.BCCCCCCCC");
  for (const char* clock : {"gpu.clock", "noc.request.clock", "noc.reply.clock", "l2.clock", "dram.clock"})
    if (random.below(2) == 0)
      settings.push_back(fmt::format("{}={}kHz", clock, 100'000 + random.below(4'900'000)));
  // Ticks of DRAM, mostly few; issue slots of any class.
  const auto ticks = [&] { return 1 + random.below(random.below(60) == 0 ? 3000 : 40); };
  for (const char* t :
       {"tCL", "tWL", "tRCD", "tRP", "tRAS", "tRC", "tRRD", "tWR", "tWTR", "tRTP", "tRTW", "tFAW"})
    settings.push_back(fmt::format("dram.{}={}", t, ticks()));
  const std::uint32_t between = ticks();  // of one bank group no fewer than of different ones
  settings.push_back(fmt::format("dram.tCCDS={}", between));
  settings.push_back(fmt::format("dram.tCCDL={}", between + random.below(10)));
  for (int c = 0; c < workload::kInstrClasses; ++c) {
    const auto cls = static_cast<workload::InstrClass>(c);
    if (random.below(4) != 0) continue;
    const std::uint32_t least = sm::can_be_free(cls) ? 0 : 1;
    settings.push_back(fmt::format("sm.timing.{}.slots={}", workload::name(cls), least + random.below(4)));
  }
  draw_parts(random, settings);
  if (random.below(2) == 0) settings.emplace_back("l2.write_waits=true");
  if (random.below(2) == 0) settings.emplace_back("sm.fences_empty_l1=true");
  if (random.below(2) == 0) settings.emplace_back("sm.fences_wait_for_all=true");
  if (random.below(2) == 0)
    for (const char* cold : {"sm.icache_cold_latency=60", "sm.icache_miss_interval=9", "sm.icache_kept=true",
                             "sm.constant_cold_latency=300", "sm.parameter_cold_latency=40"})
      settings.emplace_back(cold);
  suit_organization(settings);
  return settings;
}

}  // namespace heddle::gpu
