#include "cache/l1_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::cache {

namespace {

constexpr const char *kL1 = "l1", *kPrefetch = "prefetch", *kMissMeter = "potential.l1_misses",
                     *kUse = "l1_use", *kReplication = "replication";

}  // namespace

void L1Use::statistics(stats::Visitor& v) {
  v.counter("busiest", busiest,
            {"requests",
             "Accesses of the L1 that had most, kernel by kernel: its share of cycles is the "
             "utilisation of the busiest data port"});
}

L1Stage::L1Stage(const L1Spec& spec, std::uint32_t count, std::string place, bool keep, Frequency clock)
    : spec_(spec), count_(count), place_(std::move(place)), keep_(keep), clock_(clock) {}

void L1Stage::declare(stats::Groups& all) const {
  all.make<L1Stats>(kL1);
  all.make<L1Use>(kUse);
  cache::declare(spec_.make_prefetcher, all);
}

void L1Stage::declare_meters(stats::Groups& all) const {
  all.make(kMissMeter, mem::PotentialLevel{"requests", "that were no hits in their SM's L1"});
  all.make<mem::ReplicationStats>(kReplication);
}

mem::Edges L1Stage::edges(const stats::Groups& s) const {
  const L1Stats& l1 = s.get<L1Stats>(kL1);
  mem::Edges e;
  e.requests_in = l1.reads.in + l1.writes.in + l1.atomics.in;
  const PrefetchStats& own = s.get<PrefetchStats>(kPrefetch);
  e.requests_out = l1.write_backs + own.sent;
  for (const L1Stats::Flow* f : {&l1.reads, &l1.writes, &l1.atomics})
    *e.requests_out += f->forwarded + f->bypassed;
  e.loads_in = l1.global_reads.in;
  e.loads_out = l1.global_reads.forwarded + l1.global_reads.bypassed + own.global_sent;
  return e;
}

std::vector<mem::Identity> L1Stage::identities(const stats::Groups& s) const {
  const L1Stats& l1 = s.get<L1Stats>(kL1);
  std::vector<mem::Identity> all = {
      {"L1 reads and their outcomes", l1.reads.in, l1.reads.outcomes()},
      {"L1 writes and their outcomes", l1.writes.in, l1.writes.outcomes()},
      {"L1 atomics and their outcomes", l1.atomics.in, l1.atomics.outcomes()},
      {"global reads at L1s and their outcomes", l1.global_reads.in, l1.global_reads.outcomes()}};
  if (!spec_.make_prefetcher) return all;
  const PrefetchStats& p = s.get<PrefetchStats>(kPrefetch);
  all.push_back({"lines that prefetchers asked for and their outcomes", p.asked, p.sent + p.refusals()});
  all.push_back({"prefetches sent by L1s and answered", p.sent, p.answered});
  all.push_back(
      {"prefetches and what became of them", p.carried + p.sent, p.late + p.useful + p.useless + p.left});
  for (mem::Identity& i : spec_.make_prefetcher(spec_.prefetcher_place(0))->identities(s))
    all.push_back(std::move(i));
  return all;
}

void L1Stage::funnel(const stats::Groups& s, mem::Funnel& f) const {
  const L1Stats::Flow& reads = s.get<L1Stats>(kL1).global_reads;
  mem::FunnelPlace place{"the L1s and their MSHRs", f.last(), 0, {}};
  // Fewer than line requests only with something that merges warps' requests.
  f.add({"after inter-warp", "requests", "inter-warp merging", reads.in});
  f.add({"L1 misses", "requests", "L1 hits", reads.in - reads.hits}, s.get<mem::PotentialLevel>(kMissMeter));
  const std::uint64_t own = s.get<PrefetchStats>(kPrefetch).global_sent;
  place.out = f.add({"after MSHR", "requests", "L1 MSHRs", reads.forwarded + reads.bypassed + own});
  place.parts = {{"L1 hits", reads.hits}, {"L1 MSHRs", reads.merged}};
  if (spec_.make_prefetcher) place.parts.push_back({spec_.prefetcher + " prefetcher", own, true});
  f.places.push_back(std::move(place));
}

std::vector<mem::Series> L1Stage::series() const {
  return {{"l1.reads_in"},
          {"l1.reads_hits"},
          {"l1.mshr_cycles", static_cast<double>(count_) * spec_.mshr_entries}};
}

std::vector<mem::Curve> L1Stage::curves() const {
  using Of = mem::Curve::Of;
  return {
      {"l1.hits", "L1 read hits", "share of reads", "hits", {"l1.reads_hits"}, Of::Others, {"l1.reads_in"}},
      {"mshr.use", "L1 MSHRs in use", "share of MSHRs", "use", {"l1.mshr_cycles"}, Of::Most}};
}

mem::Picture L1Stage::picture() const {
  if (!spec_.enabled) return {{"L1  none"}};
  mem::Picture p;
  p.wires = wires_;
  if (!place_.empty()) p.lines.push_back("L1  " + place_);
  p.lines.push_back((place_.empty() ? "L1  " : "    ") + in_words(spec_.tags));
  p.lines.push_back(fmt::format("    {} MSHRs of {} requests, a hit takes {}{}", spec_.mshr_entries,
                                spec_.mshr_merges, counted(spec_.latency, "cycle"),
                                spec_.bypass_global ? "; global loads pass it by" : ""));
  if (spec_.make_prefetcher) p.lines.push_back(fmt::format("    prefetcher '{}'", spec_.prefetcher));
  return p;
}

std::vector<mem::Structure> L1Stage::structures() const {
  if (!spec_.enabled) return {};
  mem::CachePart part = array_part(spec_.tags, spec_.port_bytes, count_, clock_);
  part.banks = spec_.ports;
  // Atomics pass by, and so may reads and writes.
  part.lookups = {{"l1.reads_in"}, {"l1.reads_bypassed", -1}, {"l1.writes_in"}, {"l1.writes_bypassed", -1}};
  const double sector = static_cast<double>(mem::kSectorBytes) / static_cast<double>(part.port.count());
  const double line = static_cast<double>(spec_.tags.line.count()) / static_cast<double>(part.port.count());
  for (const char* space : {"global", "local", "other"}) {
    const auto sectors = [&](const char* which) {
      return mem::Count{fmt::format("l1.{}_{}", space, which), sector};
    };
    const bool local = std::string_view(space) == "local", global = std::string_view(space) == "global";
    if (!global || !spec_.bypass_global) part.writes.push_back(sectors("read_sectors_asked"));
    part.reads.push_back(sectors("read_sectors_hit"));
    const bool all = local ? spec_.local_write_back : spec_.write == WritePolicy::ThroughAllocate;
    if (all || local || spec_.write != WritePolicy::Evict)
      part.writes.push_back(sectors(all ? "written_sectors" : "written_sectors_hit"));
  }
  part.reads.push_back({"l1.write_backs", line});  // its dirty sectors are not counted
  mem::Structure l1{"L1"};
  l1.region = mem::Region::L1;
  l1.caches.push_back(part);
  add_mshrs(l1, count_, spec_.mshr_entries, spec_.mshr_merges,
            {{{"l1.reads_forwarded"}}, {{"l1.reads_merged"}}, {"l1.fills"}});
  return {l1};
}

void L1Stage::collect(stats::Groups& all) const {
  L1Use use;
  for (const L1Cache* l1 : l1s_) {
    const L1Stats& s = l1->statistics();
    use.busiest = std::max(use.busiest, s.reads.in + s.writes.in + s.atomics.in);
    all.add(kL1, s);
    if (l1->prefetch() == nullptr) continue;
    all.add(kPrefetch, l1->prefetch()->statistics());
    l1->prefetch()->prefetcher().collect(all);
  }
  all.add(kUse, use);
}

void L1Stage::collect_meters(stats::Groups& all) const {
  auto& sum = all.make<mem::PotentialLevel>(kMissMeter);
  for (const L1Cache* l1 : l1s_)
    if (const mem::PotentialMeter* m = l1->meter()) sum += m->statistics();
  if (replication_ != nullptr) all.add(kReplication, replication_->statistics());
}

void L1Stage::clear_statistics() {
  for (L1Cache* l1 : l1s_) {
    l1->clear_statistics();
    if (mem::PotentialMeter* m = l1->meter()) m->clear_statistics();
  }
  if (replication_ != nullptr) replication_->clear_statistics();
}

void L1Stage::read_series(sim::Cycle now, std::uint64_t* into) const {
  std::fill_n(into, 3, 0);
  for (const L1Cache* l1 : l1s_) {
    into[0] += l1->statistics().reads.in;
    into[1] += l1->statistics().reads.hits;
    into[2] += l1->mshr_cycles(now);
  }
}

bool L1Stage::idle() const {
  return std::all_of(l1s_.begin(), l1s_.end(), [](const L1Cache* l1) { return l1->idle(); });
}

void L1Stage::kernel_end() {
  if (keep_) return;
  for (L1Cache* l1 : l1s_) l1->kernel_end();
  if (replication_ != nullptr) replication_->flush();
}

std::string in_words(const TagSpec& t) {
  const std::string parts = t.parts == 1 ? "" : fmt::format(", in {} parts by the CTA's context", t.parts);
  return fmt::format("{}: {} sets x {} ways x {}{}, {}{}",
                     to_string(Bytes{std::uint64_t{t.sets} * t.ways * t.line.count()}), t.sets, t.ways,
                     to_string(t.line), t.sectored ? " in 32B sectors" : "", t.replacement, parts);
}

void add_mshrs(mem::Structure& to, std::uint32_t count, std::uint32_t entries, std::uint32_t merges,
               const MshrCounts& counts) {
  constexpr std::uint32_t kLineBits = 35, kWaiterBits = 16;
  constexpr std::uint32_t kMostWaiters = 8;  // of a line; larger numbers of a description say "no limit"
  mem::TablePart lines;
  lines.what = "MSHRs";
  lines.count = count;
  lines.entries = entries;
  lines.key_bits = kLineBits;
  lines.searches = counts.missed;
  lines.searches.insert(lines.searches.end(), counts.joined.begin(), counts.joined.end());
  const mem::Counts waiting = lines.searches;
  lines.searches.push_back(counts.filled);
  lines.writes = counts.missed;
  to.tables.push_back(lines);
  mem::ArrayPart waiters;
  waiters.what = "MSHRs' waiters";
  waiters.count = count;
  waiters.rows = entries * std::min(merges, kMostWaiters);
  waiters.row_bits = waiters.port_bits = kWaiterBits;
  waiters.writes = waiters.reads = waiting;
  to.arrays.push_back(waiters);
}

mem::CachePart array_part(const TagSpec& tags, Bytes port, std::uint32_t count, Frequency clock) {
  mem::CachePart part;
  part.count = count;
  part.sets = tags.sets;
  part.ways = tags.ways;
  part.line = tags.line;
  part.port = port == Bytes{0} ? tags.line : port;
  part.clock = clock;
  return part;
}

}  // namespace heddle::cache
