// The funnel's counts: identities between levels on every kind of machine, small programs whose counts can be
// added up by hand, and meters that change nothing but what they measure.
#include "bench.h"

#include <set>

#include <fmt/format.h>

#include "gpu/stages.h"
#include "slot_cases.h"
#include "stats/snapshot.h"
#include "tests/stats/check_declared.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using mem::Funnel;
using mem::FunnelLevel;
using mem::FunnelPart;
using mem::FunnelPlace;
using mem::Identity;
const Settings kMeasured = {"measure.funnel=true", "measure.locality=true"};

MachineStats run(const char* workload, const GpuSpec& spec, std::uint32_t threads = 1) {
  MachineOptions options;
  options.threads = threads;
  TimingDevice device(spec, {options});
  const auto verdict = workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(verdict.ok) << verdict.detail;
  return device.total();
}

Settings with(Settings settings) {
  settings.insert(settings.begin(), kMeasured.begin(), kMeasured.end());
  return settings;
}

// ---- identities -----------------------------------------------------------------------------------------

struct Case {
  const char *workload, *gpu;
  Settings settings;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.workload << " on " << c.gpu;
}

class FunnelOf : public testing::TestWithParam<Case> {};

void expect_levels_add_up(const GpuSpec& spec, const MachineStats& s) {
  const std::vector<Identity> all = identities(spec, s);
  EXPECT_GT(all.size(), 20u);
  for (const Identity& i : all) EXPECT_EQ(i.one, i.other) << i.what;
  const Funnel f = funnel(spec, s);
  EXPECT_GT(f.at("lanes").count, 0u);
  for (std::size_t i = 1; i < f.levels.size(); ++i) {
    // Requests only become fewer, but for those that a place adds; where the unit is another there may be
    // more.
    std::uint64_t most = f.levels[i - 1].count;
    for (const FunnelPlace& place : f.places) most += place.out == i ? Funnel::added(place) : 0;
    if (f.levels[i].unit == "requests" && f.levels[i - 1].unit != "accesses") {
      EXPECT_LE(f.levels[i].count, most) << f.levels[i].name;
    }
  }
  EXPECT_GE(f.at("DRAM bursts").count, s.dram().global_reads);
  EXPECT_LE(f.at("row activations").count, f.at("DRAM bursts").count);
  for (const FunnelLevel& l : f.levels)
    if (l.could_merge) {
      EXPECT_LE(*l.could_merge, l.count) << l.name;
    }
  EXPECT_GE(f.places.size(), 4u);  // techniques may bring further ones
  for (const FunnelPlace& place : f.places) {
    for (const FunnelPart& p : place.parts) EXPECT_FALSE(p.by.empty());
    EXPECT_EQ(f.levels[place.in].count - Funnel::removed(place) + Funnel::added(place),
              f.levels[place.out].count)
        << place.name;
  }
}

TEST_P(FunnelOf, LevelsAddUp) {
  const GpuSpec spec = spec_of(GetParam().gpu, with(GetParam().settings));
  expect_levels_add_up(spec, run(GetParam().workload, spec));
}

// On a small machine, with any implementation of any slot.
class FunnelOfSlot : public testing::TestWithParam<SlotCase> {};

TEST_P(FunnelOfSlot, LevelsAddUp) {
  Settings settings = with({"gpu.clusters=2", "gpu.sms_per_cluster=2", "memory.partitions=2"});
  settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
  const GpuSpec spec = lab(settings);
  expect_levels_add_up(spec, run("hotspot", spec));
}

INSTANTIATE_TEST_SUITE_P(Each, FunnelOfSlot, testing::ValuesIn(every_implementation()),
                         [](const auto& test) { return test_name(test.param); });

// Every meter sees all that its level counts, and what really merged is among what could.
TEST_P(FunnelOf, MetersSeeEverything) {
  const GpuSpec spec = spec_of(GetParam().gpu, with(GetParam().settings));
  const MachineStats s = run(GetParam().workload, spec);
  const Funnel f = funnel(spec, s);
  EXPECT_EQ(s.potential("line_requests").requests, f.at("line requests").count);
  EXPECT_EQ(s.potential("l1_misses").requests, f.at("L1 misses").count);
  EXPECT_EQ(s.potential("cluster").requests, f.at("after MSHR").count);
  EXPECT_EQ(s.potential("network").requests, f.at("NoC packets").count);
  EXPECT_EQ(s.potential("l2_misses").requests, f.at("L2 misses").count);
  EXPECT_EQ(s.potential("rows").requests, f.at("DRAM bursts").count);
  EXPECT_GE(s.potential("l1_misses").could_merge, s.l1().global_reads.merged);
  EXPECT_GE(s.potential("cluster").could_merge, s.merger().merged);
  EXPECT_GE(s.potential("l2_misses").could_merge, s.l2().global_reads.merged);
  // The two meters of a cluster look at the same requests; one also knows what is under way for longer.
  EXPECT_EQ(s.locality().requests, s.potential("cluster").requests);
  EXPECT_LE(s.locality().windows.back().redundant, s.potential("cluster").could_merge);
  std::uint64_t before = 0;
  for (const mem::LocalityStats::Window& w : s.locality().windows) {
    EXPECT_EQ(w.redundant, w.line_sharing + w.data_sharing);
    EXPECT_EQ(w.redundant, w.same_sm + w.other_sm);
    EXPECT_GE(w.redundant, before);
    before = w.redundant;
  }
}

// Measuring changes no other statistic.
TEST_P(FunnelOf, MetersChangeNothing) {
  const Case& c = GetParam();
  const auto of_machine = [](const MachineStats& s) {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (const auto& [name, n] : counters(s))
      if (!name.starts_with("potential.") && !name.starts_with("locality.")) all.emplace_back(name, n);
    return all;
  };
  EXPECT_EQ(of_machine(run(c.workload, spec_of(c.gpu, with(c.settings)))),
            of_machine(run(c.workload, spec_of(c.gpu, c.settings))));
}

const Settings kNextLine = {"l1.prefetcher=next_line", "l1.next_line.degree=2", "l1.next_line.on=tagged"};

// Without sectors, with sectors, with a merger in the cluster, without an L1 for global loads, without an L2,
// with a prefetcher.
INSTANTIATE_TEST_SUITE_P(
    Each, FunnelOf,
    testing::Values(Case{"bfs", "clustered60", {}}, Case{"hotspot", "gtx480", {}}, Case{"bfs", "v100", {}},
                    Case{"hotspot", "h200", {}}, Case{"bfs", "h200", {}}, Case{"bfs", "k40", {}},
                    Case{"bfs", "clustered60", {"l2.enabled=false"}},
                    Case{"hotspot", "clustered60", {"l1.enabled=false", "l2.write_miss=no_allocate"}},
                    Case{"matrixmul", "v100", {"l2.clock=1GHz", "measure.window=100"}},
                    Case{"bfs", "clustered60", kNextLine}, Case{"hotspot", "v100", kNextLine},
                    Case{"bfs", "h200", kNextLine}));

// Requests that the prefetchers made are told where they join the others, and counted by all levels below.
TEST(Funnel, PrefetchesAreAdded) {
  const GpuSpec spec = spec_of("clustered60", kNextLine);
  const MachineStats s = run("hotspot", spec);
  const Funnel f = funnel(spec, s);
  const cache::PrefetchStats& p = s.groups.get<cache::PrefetchStats>("prefetch");
  EXPECT_GT(p.global_sent, 100u);
  EXPECT_GT(p.useful, 0u);
  EXPECT_GT(p.late, 0u);
  EXPECT_GT(f.at("after MSHR").count, p.global_sent);
  const FunnelPart* part = nullptr;
  for (const FunnelPlace& place : f.places)
    for (const FunnelPart& one : place.parts)
      if (one.added) {
        EXPECT_EQ(part, nullptr);
        part = &one;
        EXPECT_EQ(f.levels[place.out].name, "after MSHR");
      }
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->by, "next_line prefetcher");
  EXPECT_EQ(part->count, p.global_sent);
  EXPECT_EQ(s.l1().global_reads.forwarded + s.l1().global_reads.bypassed + p.global_sent,
            s.cluster().global_reads);
}

// A machine without a prefetcher has none of its statistics.
TEST(Funnel, WithoutAPrefetcherNothingIsAdded) {
  const GpuSpec spec = spec_of("clustered60");
  const MachineStats s = run("vecadd", spec);
  EXPECT_FALSE(s.groups.has("prefetch"));
  for (const FunnelPlace& place : funnel(spec, s).places) EXPECT_EQ(Funnel::added(place), 0u);
  EXPECT_TRUE(every_statistic().groups.has("prefetch"));
  EXPECT_TRUE(every_statistic().groups.has("next_line"));
}

// Raises a counter by one.
class Raise final : public stats::Visitor {
 public:
  explicit Raise(std::size_t which) : which_(which) {}
  void counter(std::string_view name, std::uint64_t& value, const stats::About&) override {
    if (which_-- != 0) return;
    ++value;
    raised = prefix_ + std::string(name);
  }
  void peak(std::string_view, std::uint64_t&, const stats::About&) override {}
  void histogram(std::string_view, stats::HistogramRef, const stats::About&) override {}
  void ratio(std::string_view, const std::uint64_t&, const std::uint64_t&, const stats::About&) override {}
  void derived(std::string_view, double, std::string_view, const stats::About&) override {}
  std::string raised;  // its name; empty: there are not so many

 protected:
  void enter(std::string_view name) override { prefix_ += std::string(name) + "."; }
  void leave() override { prefix_.erase(prefix_.rfind('.', prefix_.size() - 2) + 1); }

 private:
  std::size_t which_;
  std::string prefix_;
};

// A request too many or too few at any place is found: these counters, each alone off by one, break
// something.
TEST(Funnel, EveryIdentityCanFail) {
  const GpuSpec spec = spec_of("clustered60", kNextLine);
  std::set<std::string> checked;
  for (std::size_t i = 0;; ++i) {
    MachineStats s = Stages(spec).zero();
    Raise raise(i);
    s.statistics(raise);
    if (raise.raised.empty()) break;
    for (const Identity& one : identities(spec, s))
      if (one.one != one.other) checked.insert(raise.raised);
  }
  for (const char* name : {"sm.requests_sent",
                           "sm.replies_received",
                           "sm.hits_at_once",
                           "sm.global_load.lines",
                           "l1.reads_in",
                           "l1.reads_hits",
                           "l1.reads_merged",
                           "l1.reads_forwarded",
                           "l1.reads_bypassed",
                           "l1.writes_in",
                           "l1.atomics_in",
                           "l1.write_backs",
                           "prefetch.asked",
                           "prefetch.sent",
                           "prefetch.global_sent",
                           "prefetch.answered",
                           "prefetch.refused_page",
                           "prefetch.late",
                           "prefetch.useful",
                           "prefetch.useless",
                           "prefetch.left",
                           "cluster.requests",
                           "cluster.injected",
                           "cluster.replies",
                           "cluster.global_reads",
                           "merger.offered",
                           "merger.forwarded",
                           "merger.merged",
                           "merger.held",
                           "merger.answers",
                           "merger.replies",
                           "request_network.injected",
                           "request_network.ejected",
                           "reply_network.injected",
                           "reply_network.ejected",
                           "partition.packets_in",
                           "partition.packets_out"})
    EXPECT_TRUE(checked.contains(name)) << name;
  EXPECT_GE(checked.size(), 58u);
}

// ---- by hand --------------------------------------------------------------------------------------------

// Two warps load the same line, then a third word of another one, 31 lanes off.
TEST(Funnel, TwoWarpsOneLine) {
  Bench b(lab(with({})));
  b.load(
      "mul.wide.u32 %rd1, %lane, 4;\nadd.u64 %rd1, %rd1, %a;\nld.global.u32 %r1, [%rd1];\n"
      "setp.ne.u32 %p1, %tid, 0;\n@%p1 bra END;\nld.global.u32 %r2, [%a+128];\nEND:\n"
      "xor.b32 %r3, %r1, %r2;\nst.global.u32 [%b], %r3;");
  const auto a = b.words(1024), out = b.words(32);
  const MachineStats s = b.run({.threads = 64}, a, out).stats;
  const Funnel f = funnel(b.device().machine().spec(), s);
  EXPECT_EQ(f.at("lanes").count, 65u);
  EXPECT_EQ(f.at("line requests").count, 3u);
  EXPECT_EQ(*f.at("line requests").could_merge, 1u);
  EXPECT_EQ(f.at("after inter-warp").count, 3u);
  EXPECT_EQ(f.at("L1 misses").count, 3u);
  EXPECT_EQ(*f.at("L1 misses").could_merge, 1u);
  EXPECT_EQ(f.at("after MSHR").count, 2u);
  EXPECT_EQ(*f.at("after MSHR").could_merge, 0u);
  EXPECT_EQ(f.at("after the cluster").count, 2u);
  EXPECT_EQ(f.at("NoC packets").count, 2u);
  EXPECT_EQ(f.at("L2 misses").count, 2u);
  EXPECT_EQ(f.at("after L2 MSHR").count, 2u);
  // 64 bytes per burst: two bursts for each line, all in one row.
  EXPECT_EQ(f.at("DRAM bursts").count, 4u);
  EXPECT_EQ(*f.at("DRAM bursts").could_merge, 3u);
  EXPECT_EQ(f.at("row activations").count, 1u);
  EXPECT_EQ(Funnel::removed(f.places[0]), 1u);
  EXPECT_EQ(*f.left(f.places[0]), 0u);
  EXPECT_EQ(*f.left(f.places[3]), 0u);
}

// Two SMs of a cluster read the same line: other words of it, or the same.
TEST(Locality, CausesAreToldApart) {
  for (const bool same_words : {false, true}) {
    Bench b(lab(with({"gpu.sms_per_cluster=2"})));
    b.load(
        fmt::format("mul.wide.u32 %rd1, %cta, {};\nadd.u64 %rd1, %rd1, %a;\nld.global.u32 %r1, [%rd1];\n"
                    "st.global.u32 [%b], %r1;",
                    same_words ? 0 : 4));
    const auto a = b.words(1024), out = b.words(32);
    const MachineStats s = b.run({.ctas = 2, .threads = 1}, a, out).stats;
    const mem::LocalityStats::Window& w = s.locality().windows[0];
    EXPECT_EQ(s.locality().requests, 2u);
    EXPECT_EQ(w.redundant, 1u);
    EXPECT_EQ(w.other_sm, 1u);
    EXPECT_EQ(w.data_sharing, same_words ? 1u : 0u);
    EXPECT_EQ(w.line_sharing, same_words ? 0u : 1u);
    EXPECT_EQ(s.potential("cluster").could_merge, 1u);
  }
}

// Writes, atomics and local memory are not in it.
TEST(Locality, OnlyReadsOfGlobalMemoryCount) {
  Bench b(lab(with({})));
  b.load("st.global.u32 [%a], %gid;\nred.global.add.u32 [%a+128], 1;\nst.global.u32 [%a], %gid;");
  const auto a = b.words(1024);
  const MachineStats s = b.run({.ctas = 1, .threads = 32}, a).stats;
  EXPECT_EQ(s.locality().requests, 0u);
  EXPECT_EQ(s.cluster().injected_reads, 0u);
  EXPECT_EQ(s.cluster().injected, 3u);
  EXPECT_EQ(s.dram().global_reads, 0u);
  EXPECT_EQ(funnel(b.device().machine().spec(), s).at("lanes").count, 0u);
  EXPECT_EQ(s.sm().global_store.lanes, 64u);
}

// One load that misses everywhere: its latency in the histogram is the instruction's.
TEST(MissLatency, IsThatOfTheLoad) {
  Bench b(lab());
  b.load("ld.global.u32 %r1, [%a];\nst.global.u32 [%b], %r1;");
  const auto a = b.words(1024), out = b.words(32);
  const MachineStats s = b.run({.threads = 1}, a, out).stats;
  EXPECT_EQ(s.sm().loads_completed, 1u);
  EXPECT_EQ(s.l1().miss_latency.sum, s.sm().load_latency_sum);
  EXPECT_GT(s.l1().miss_latency.largest, 50u);
}

TEST(MissLatency, CountsEveryReadThatIsNoHit) {
  for (const char* gpu : {"clustered60", "k40", "v100"}) {
    const MachineStats s = run("bfs", spec_of(gpu));
    std::uint64_t samples = 0;
    for (const std::uint64_t n : s.l1().miss_latency.bins) samples += n;
    EXPECT_EQ(samples, s.l1().reads.in - s.l1().reads.hits) << gpu;
  }
}

TEST(Funnel, WithoutMetersThereIsNoPotential) {
  const MachineStats s = run("vecadd", spec_of("clustered60"));
  EXPECT_EQ(s.potential("cluster").requests, 0u);
  const Funnel f = funnel(spec_of("clustered60"), s);
  for (const FunnelLevel& l : f.levels) EXPECT_FALSE(l.could_merge) << l.name;
  EXPECT_FALSE(f.left(f.places[0]));
  EXPECT_GT(f.at("DRAM bursts").count, 0u);
}

TEST(Funnel, MetersGiveTheSameOnAnyThreads) {
  const GpuSpec spec = spec_of("clustered60", kMeasured);
  const auto one = counters(run("bfs", spec));
  EXPECT_EQ(counters(run("bfs", spec, 2)), one);
  EXPECT_EQ(counters(run("bfs", spec, 3)), one);
}

TEST(Funnel, EveryCounterIsDeclared) {
  stats::check_declared<mem::LocalityStats>();
  stats::check_declared<cluster::ClusterStats>();
  stats::check_declared<cache::L1Stats>();
  stats::check_declared<cache::PrefetchStats>();
  stats::check_declared<dram::DramStats>();
  stats::check_declared<hierarchy::PartitionStats>();
}

}  // namespace
}  // namespace heddle::gpu
