#include "hierarchy/memory_stages.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cache/l1_stage.h"

namespace heddle::hierarchy {

namespace {

constexpr const char *kPartition = "partition", *kL2 = "l2", *kDram = "dram";
constexpr const char *kPackets = "potential.network", *kL2Misses = "potential.l2_misses",
                     *kRows = "potential.rows";

double per_core_cycle(Frequency clock, Frequency core) {
  return clock.count() == 0 ? 1 : static_cast<double>(clock.count()) / static_cast<double>(core.count());
}

void sum_up(mem::PotentialLevel& to, const std::vector<mem::PotentialMeter>& meters) {
  for (const mem::PotentialMeter& m : meters) to += m.statistics();
}

}  // namespace

// ---- L2 -------------------------------------------------------------------------------------------------

L2Stage::L2Stage(const PartitionSpec& spec, const MemoryLayout& layout, const mem::Picture::Wires& wires)
    : spec_(spec), layout_(layout), wires_(wires) {}

void L2Stage::declare(stats::Groups& all) const {
  all.make<PartitionStats>(kPartition);
  all.make<cache::L2Stats>(kL2);
}

void L2Stage::declare_meters(stats::Groups& all) const {
  all.make(kPackets, mem::PotentialLevel{"packets", "that came to their L2 slice"});
  all.make(kL2Misses, mem::PotentialLevel{"requests", "that were no hits in their L2 slice"});
}

mem::Edges L2Stage::edges(const stats::Groups& s) const {
  const PartitionStats& partition = s.get<PartitionStats>(kPartition);
  mem::Edges e;
  e.requests_in = partition.packets_in;
  e.answers_out = partition.packets_out;
  e.loads_in = s.get<cache::L2Stats>(kL2).global_reads.requests;
  e.loads_out = partition.global_transfers;
  return e;
}

std::vector<mem::Identity> L2Stage::identities(const stats::Groups& s) const {
  const PartitionStats& partition = s.get<PartitionStats>(kPartition);
  const cache::L2Stats& l2 = s.get<cache::L2Stats>(kL2);
  const cache::L2OpStats& reads = l2.global_reads;
  return {
      {"packets into and out of partitions", partition.packets_in, partition.packets_out + partition.posted},
      {"global reads at L2 and their outcomes", reads.requests, reads.hits + reads.merged + reads.misses},
      {"global reads that missed L2 and accesses to memory", reads.misses, l2.global_fetches}};
}

void L2Stage::funnel(const stats::Groups& s, mem::Funnel& f) const {
  const cache::L2OpStats& reads = s.get<cache::L2Stats>(kL2).global_reads;
  const std::size_t in = f.last();
  if (f.measured) f.levels[in].could_merge = s.get<mem::PotentialLevel>(kPackets).could_merge;
  mem::FunnelPlace place{"the L2 and its MSHRs", in, 0, {}};
  f.add({"L2 misses", "requests", "L2 hits", reads.requests - reads.hits},
        s.get<mem::PotentialLevel>(kL2Misses));
  place.out = f.add({"after L2 MSHR", "requests", "L2 MSHRs", reads.misses});
  place.parts = {{"L2 hits", reads.hits}, {"L2 MSHRs", reads.merged}};
  f.places.push_back(std::move(place));
}

std::vector<mem::Series> L2Stage::series() const {
  const double ports = layout_.partitions * layout_.slices * (spec_.l2.own_fill_port ? 2 : 1);
  return {{"l2.reads"},
          {"l2.read_hits"},
          {"l2.port_cycles", ports * per_core_cycle(spec_.l2_clock, layout_.core)}};
}

std::vector<mem::Curve> L2Stage::curves() const {
  using Of = mem::Curve::Of;
  return {{"l2.use", "L2 data ports", "share of cycles", "use", {"l2.port_cycles"}, Of::Most},
          {"l2.hits", "L2 read hits", "share of reads", "hits", {"l2.read_hits"}, Of::Others, {"l2.reads"}}};
}

mem::Picture L2Stage::picture() const {
  mem::Picture p;
  p.wires = wires_;
  p.lines.push_back(fmt::format("{} memory partitions, every {} in another", layout_.partitions,
                                to_string(layout_.interleave)));
  const cache::L2Spec& l2 = spec_.l2;
  if (!l2.enabled) {
    p.lines.push_back("L2  none");
    return p;
  }
  const Bytes all{std::uint64_t{layout_.partitions} * layout_.slices * l2.tags.sets * l2.tags.ways *
                  l2.tags.line.count()};
  p.lines.push_back(fmt::format("L2  {} per partition, {} in all, {}", counted(layout_.slices, "slice"),
                                to_string(all),
                                to_string(spec_.l2_clock == Frequency{0} ? layout_.core : spec_.l2_clock)));
  p.lines.push_back(fmt::format("    slice {}", cache::in_words(l2.tags)));
  p.lines.push_back(fmt::format("    data port {} per cycle, {} MSHRs of {} requests", to_string(l2.port),
                                l2.mshrs, l2.merges));
  return p;
}

std::vector<mem::Structure> L2Stage::structures() const {
  const cache::L2Spec& l2 = spec_.l2;
  if (!l2.enabled) return {};
  const Frequency clock = spec_.l2_clock == Frequency{0} ? layout_.core : spec_.l2_clock;
  const std::uint32_t slices = layout_.partitions * layout_.slices;
  mem::CachePart part = cache::array_part(l2.tags, l2.port, slices, clock);
  part.lookups = {{"l2.requests_in"}, {"l2.fills"}};
  const double sector = static_cast<double>(mem::kSectorBytes) / static_cast<double>(part.port.count());
  const auto sectors = [&](const char* which, double times = 1) { return mem::Count{which, times * sector}; };
  // What memory brings goes on to who waits without being read again.
  part.reads = {sectors("l2.read_hit_sectors"), sectors("l2.atomic_hit_sectors"),
                sectors("l2.writeback_sectors")};
  part.writes = {sectors("l2.write_sectors"), sectors("l2.written_through_sectors", -1),
                 sectors("l2.atomic_sectors"), sectors("l2.fill_sectors")};
  mem::Structure all{"L2"};
  all.region = mem::Region::L2;
  all.caches.push_back(part);
  cache::MshrCounts mshrs{
      {{"l2.read_misses"}, {"l2.atomic_misses"}}, {{"l2.read_merged"}, {"l2.atomic_merged"}}, {"l2.fills"}};
  if (l2.write_miss == cache::WriteMiss::Fetch) {
    mshrs.missed.push_back({"l2.write_misses"});
    mshrs.joined.push_back({"l2.write_merged"});
  }
  cache::add_mshrs(all, slices, l2.mshrs, l2.merges, mshrs);
  return {all};
}

void L2Stage::collect(stats::Groups& all) const {
  for (const Partition* p : partitions_) {
    all.add(kPartition, p->statistics());
    for (std::uint32_t i = 0; i < p->slices(); ++i) all.add(kL2, p->slice(i).statistics());
  }
}

void L2Stage::collect_meters(stats::Groups& all) const {
  auto& packets = all.make<mem::PotentialLevel>(kPackets);
  auto& misses = all.make<mem::PotentialLevel>(kL2Misses);
  for (const Partition* p : partitions_)
    if (const Partition::Meters* m = p->meters()) {
      sum_up(packets, m->packets);
      sum_up(misses, m->l2_misses);
    }
}

void L2Stage::clear_statistics() {
  for (Partition* p : partitions_) p->clear_statistics();
}

void L2Stage::read_series(sim::Cycle, std::uint64_t* into) const {
  std::fill_n(into, 3, 0);
  for (const Partition* p : partitions_)
    for (std::uint32_t i = 0; i < p->slices(); ++i) {
      const cache::L2Stats& l2 = p->slice(i).statistics();
      into[0] += l2.reads.requests;
      into[1] += l2.reads.hits;
      into[2] += l2.port_cycles;
    }
}

bool L2Stage::idle() const {
  return std::all_of(partitions_.begin(), partitions_.end(), [](const Partition* p) { return p->idle(); });
}

void L2Stage::kernel_end() {
  for (Partition* p : partitions_) p->kernel_end();
}

// ---- DRAM -----------------------------------------------------------------------------------------------

void DramStage::declare(stats::Groups& all) const {
  all.make<dram::DramStats>(kDram);
}

void DramStage::declare_meters(stats::Groups& all) const {
  all.make(kRows, mem::PotentialLevel{"bursts", "that memory partitions asked of DRAM, by row"});
}

mem::Edges DramStage::edges(const stats::Groups& s) const {
  mem::Edges e;
  e.loads_in = s.get<dram::DramStats>(kDram).global_reads;
  return e;
}

void DramStage::funnel(const stats::Groups& s, mem::Funnel& f) const {
  const dram::DramStats& d = s.get<dram::DramStats>(kDram);
  mem::FunnelPlace place{"the DRAM rows", 0, 0, {}};
  place.in = f.add({"DRAM bursts", "bursts", "sectors per burst", d.global_bursts},
                   s.get<mem::PotentialLevel>(kRows));
  place.out = f.add({"row activations", "activations", "open rows", d.global_activations});
  // A burst that needs no activation of its own.
  place.parts = {{"open rows", d.global_bursts - std::min(d.global_bursts, d.global_activations)}};
  f.places.push_back(std::move(place));
}

std::vector<mem::Series> DramStage::series() const {
  const double buses = static_cast<double>(layout_.partitions) * spec_.channels * spec_.dram.pseudo_channels;
  return {{"dram.busy_ticks", buses * per_core_cycle(spec_.dram.clock, layout_.core)},
          {"dram.read_bytes"},
          {"dram.write_bytes"},
          {"dram.row_hits"},
          {"dram.row_misses"},
          {"dram.row_conflicts"}};
}

std::vector<mem::Curve> DramStage::curves() const {
  using Of = mem::Curve::Of;
  return {{"dram.use", "DRAM data buses", "share of ticks", "use", {"dram.busy_ticks"}, Of::Most},
          {"dram.bytes", "DRAM traffic", "bytes per cycle", "", {"dram.read_bytes", "dram.write_bytes"}},
          {"dram.row_hits",
           "DRAM row hits",
           "share of transfers",
           "hits",
           {"dram.row_hits"},
           Of::Others,
           {"dram.row_hits", "dram.row_misses", "dram.row_conflicts"}}};
}

mem::Picture DramStage::picture() const {
  const dram::DramSpec& d = spec_.dram;
  return {
      {fmt::format("DRAM  {} per partition ({}), {} x {} per tick at {}", counted(spec_.channels, "channel"),
                   d.scheduler, to_string(d.bus), d.transfers_per_tick, to_string(d.clock)),
       fmt::format("      {} banks{}, {} of {}, rows of {}", d.banks,
                   d.pseudo_channels > 1 ? fmt::format(" in {} pseudo channels", d.pseudo_channels) : "",
                   counted(d.bank_groups, "group"), d.banks / d.pseudo_channels / d.bank_groups,
                   to_string(layout_.row))}};
}

std::vector<mem::Structure> DramStage::structures() const {
  mem::DramPart part;
  part.count = layout_.partitions * spec_.channels;
  part.row = layout_.row;
  part.activations = {{"dram.activations"}};
  part.read_bytes = {{"dram.read_bytes"}};
  part.written_bytes = {{"dram.write_bytes"}};
  part.refreshes = {{"dram.refreshes"}};
  mem::Structure all{"DRAM"};
  all.region = mem::Region::Dram;
  all.drams.push_back(part);
  return {all};
}

void DramStage::collect(stats::Groups& all) const {
  for (const Partition* p : partitions_)
    for (std::uint32_t i = 0; i < p->channels(); ++i) all.add(kDram, p->dram(i).statistics());
}

// Writes that nobody waits for may keep banks busy after the launch.
void DramStage::lasted(sim::Cycle cycles, stats::Groups& all) const {
  const auto ticks = static_cast<std::uint64_t>(static_cast<unsigned __int128>(cycles) *
                                                spec_.dram.clock.count() / layout_.core.count());
  const std::uint64_t banks = std::uint64_t{layout_.partitions} * spec_.channels * spec_.dram.banks;
  dram::DramStats idle;
  idle.bank_idle_ticks =
      banks * ticks - std::min(banks * ticks, all.get<dram::DramStats>(kDram).bank_busy_ticks);
  all.add(kDram, idle);
}

void DramStage::collect_meters(stats::Groups& all) const {
  auto& rows = all.make<mem::PotentialLevel>(kRows);
  for (const Partition* p : partitions_)
    if (const Partition::Meters* m = p->meters()) rows += m->rows.statistics();
}

void DramStage::read_series(sim::Cycle, std::uint64_t* into) const {
  std::fill_n(into, 6, 0);
  for (const Partition* p : partitions_)
    for (std::uint32_t i = 0; i < p->channels(); ++i) {
      const dram::DramStats& d = p->dram(i).statistics();
      into[0] += d.busy_ticks;
      into[1] += d.read_bytes;
      into[2] += d.write_bytes;
      into[3] += d.row_hits;
      into[4] += d.row_misses;
      into[5] += d.row_conflicts;
    }
}

}  // namespace heddle::hierarchy
