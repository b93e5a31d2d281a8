// The funnel's counts: identities between levels on every kind of machine, small programs whose counts can be
// added up by hand, and meters that change nothing but what they measure.
#include "bench.h"

#include <fmt/format.h>

#include "gpu/funnel.h"
#include "stats/snapshot.h"
#include "tests/stats/check_declared.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using Stage = FunnelStage;
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

TEST_P(FunnelOf, LevelsAddUp) {
  const MachineStats s = run(GetParam().workload, spec_of(GetParam().gpu, with(GetParam().settings)));
  for (const FunnelIdentity& i : funnel_identities(s)) EXPECT_EQ(i.above, i.below) << i.what;
  const Funnel f = funnel(s, true);
  EXPECT_GT(f.at(Stage::Lanes).count, 0u);
  // Requests only become fewer; from memory on the unit is another.
  for (std::size_t i = 1; i <= static_cast<std::size_t>(Stage::AfterL2Mshr); ++i)
    EXPECT_LE(f.levels[i].count, f.levels[i - 1].count) << f.levels[i].name;
  EXPECT_GE(f.at(Stage::Bursts).count, s.dram.global_reads);
  EXPECT_LE(f.at(Stage::Activations).count, f.at(Stage::Bursts).count);
  for (const FunnelLevel& l : f.levels)
    if (l.could_merge) {
      EXPECT_LE(*l.could_merge, l.count) << l.name;
    }
  const GpuSpec spec = spec_of(GetParam().gpu, with(GetParam().settings));
  for (const FunnelPlace& place : funnel_places()) {
    std::uint64_t parts = 0;
    for (const FunnelPart& p : removed_by(place, s, spec)) {
      EXPECT_FALSE(p.by.empty());
      parts += p.count;
    }
    EXPECT_EQ(parts, f.removed(place)) << place.name;
  }
}

// Every meter sees all that its level counts, and what really merged is among what could.
TEST_P(FunnelOf, MetersSeeEverything) {
  const MachineStats s = run(GetParam().workload, spec_of(GetParam().gpu, with(GetParam().settings)));
  const Funnel f = funnel(s, true);
  const PotentialLevels& p = s.potential;
  EXPECT_EQ(p.line_requests.requests, f.at(Stage::LineRequests).count);
  EXPECT_EQ(p.l1_misses.requests, f.at(Stage::L1Misses).count);
  EXPECT_EQ(p.cluster.requests, f.at(Stage::AfterMshr).count);
  EXPECT_EQ(p.network.requests, f.at(Stage::Packets).count);
  EXPECT_EQ(p.l2_misses.requests, f.at(Stage::L2Misses).count);
  EXPECT_EQ(p.rows.requests, f.at(Stage::Bursts).count);
  EXPECT_GE(p.l1_misses.could_merge, s.l1.global_reads.merged);
  EXPECT_GE(p.cluster.could_merge, s.merger.merged);
  EXPECT_GE(p.l2_misses.could_merge, s.l2.global_reads.merged);
  // The two meters of a cluster look at the same requests; one also knows what is under way for longer.
  EXPECT_EQ(s.locality.requests, p.cluster.requests);
  EXPECT_LE(s.locality.windows.back().redundant, p.cluster.could_merge);
  std::uint64_t before = 0;
  for (const mem::LocalityStats::Window& w : s.locality.windows) {
    EXPECT_EQ(w.redundant, w.line_sharing + w.data_sharing);
    EXPECT_EQ(w.redundant, w.same_sm + w.other_sm);
    EXPECT_GE(w.redundant, before);
    before = w.redundant;
  }
}

// Measuring changes no other statistic.
TEST_P(FunnelOf, MetersChangeNothing) {
  const Case& c = GetParam();
  MachineStats measured = run(c.workload, spec_of(c.gpu, with(c.settings)));
  measured.potential = {};
  measured.locality = {};
  EXPECT_EQ(counters(measured), counters(run(c.workload, spec_of(c.gpu, c.settings))));
}

// Without sectors, with sectors, with a merger in the cluster, without an L1 for global loads, without an L2.
INSTANTIATE_TEST_SUITE_P(
    Each, FunnelOf,
    testing::Values(Case{"bfs", "clustered60", {}}, Case{"hotspot", "gtx480", {}}, Case{"bfs", "v100", {}},
                    Case{"hotspot", "h200", {}}, Case{"bfs", "h200", {}}, Case{"bfs", "k40", {}},
                    Case{"bfs", "clustered60", {"l2.enabled=false"}},
                    Case{"hotspot", "clustered60", {"l1.enabled=false", "l2.write_miss=no_allocate"}},
                    Case{"matrixmul", "v100", {"l2.clock=1GHz", "measure.window=100"}}));

// A count that is missing on one side is found.
TEST(Funnel, EveryIdentityCanFail) {
  MachineStats s;
  for (const FunnelIdentity& i : funnel_identities(s)) EXPECT_EQ(i.above, i.below);
  const auto broken = [](const MachineStats& stats) {
    int n = 0;
    for (const FunnelIdentity& i : funnel_identities(stats)) n += i.above != i.below;
    return n;
  };
  const std::vector<std::uint64_t*> places = {&s.sm.global_load.lines,
                                              &s.l1.global_reads.in,
                                              &s.l1.global_reads.hits,
                                              &s.l1.global_reads.merged,
                                              &s.l1.global_reads.forwarded,
                                              &s.l1.global_reads.bypassed,
                                              &s.cluster.global_reads,
                                              &s.cluster.global_reads_forwarded,
                                              &s.cluster.global_reads_injected,
                                              &s.merger.merged,
                                              &s.merger.held,
                                              &s.l2.global_reads.requests,
                                              &s.l2.global_reads.hits,
                                              &s.l2.global_reads.merged,
                                              &s.l2.global_reads.misses,
                                              &s.l2.global_fetches,
                                              &s.partition.global_transfers,
                                              &s.dram.global_reads};
  for (std::uint64_t* place : places) {
    ++*place;
    EXPECT_GE(broken(s), 1) << (place - places.front());
    --*place;
  }
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
  const Funnel f = funnel(s, true);
  EXPECT_EQ(f.at(Stage::Lanes).count, 65u);
  EXPECT_EQ(f.at(Stage::LineRequests).count, 3u);
  EXPECT_EQ(*f.at(Stage::LineRequests).could_merge, 1u);
  EXPECT_EQ(f.at(Stage::InterWarp).count, 3u);
  EXPECT_EQ(f.at(Stage::L1Misses).count, 3u);
  EXPECT_EQ(*f.at(Stage::L1Misses).could_merge, 1u);
  EXPECT_EQ(f.at(Stage::AfterMshr).count, 2u);
  EXPECT_EQ(*f.at(Stage::AfterMshr).could_merge, 0u);
  EXPECT_EQ(f.at(Stage::AfterCluster).count, 2u);
  EXPECT_EQ(f.at(Stage::Packets).count, 2u);
  EXPECT_EQ(f.at(Stage::L2Misses).count, 2u);
  EXPECT_EQ(f.at(Stage::AfterL2Mshr).count, 2u);
  // 64 bytes per burst: two bursts for each line, all in one row.
  EXPECT_EQ(f.at(Stage::Bursts).count, 4u);
  EXPECT_EQ(*f.at(Stage::Bursts).could_merge, 3u);
  EXPECT_EQ(f.at(Stage::Activations).count, 1u);
  EXPECT_EQ(f.removed(funnel_places()[0]), 1u);
  EXPECT_EQ(*f.left(funnel_places()[0]), 0u);
  EXPECT_EQ(*f.left(funnel_places()[3]), 0u);
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
    const mem::LocalityStats::Window& w = s.locality.windows[0];
    EXPECT_EQ(s.locality.requests, 2u);
    EXPECT_EQ(w.redundant, 1u);
    EXPECT_EQ(w.other_sm, 1u);
    EXPECT_EQ(w.data_sharing, same_words ? 1u : 0u);
    EXPECT_EQ(w.line_sharing, same_words ? 0u : 1u);
    EXPECT_EQ(s.potential.cluster.could_merge, 1u);
  }
}

// Writes, atomics and local memory are not in it.
TEST(Locality, OnlyReadsOfGlobalMemoryCount) {
  Bench b(lab(with({})));
  b.load("st.global.u32 [%a], %gid;\nred.global.add.u32 [%a+128], 1;\nst.global.u32 [%a], %gid;");
  const auto a = b.words(1024);
  const MachineStats s = b.run({.ctas = 1, .threads = 32}, a).stats;
  EXPECT_EQ(s.locality.requests, 0u);
  EXPECT_EQ(s.cluster.injected_reads, 0u);
  EXPECT_EQ(s.cluster.injected, 3u);
  EXPECT_EQ(s.dram.global_reads, 0u);
  EXPECT_EQ(funnel(s, true).at(Stage::Lanes).count, 0u);
  EXPECT_EQ(s.sm.global_store.lanes, 64u);
}

// One load that misses everywhere: its latency in the histogram is the instruction's.
TEST(MissLatency, IsThatOfTheLoad) {
  Bench b(lab());
  b.load("ld.global.u32 %r1, [%a];\nst.global.u32 [%b], %r1;");
  const auto a = b.words(1024), out = b.words(32);
  const MachineStats s = b.run({.threads = 1}, a, out).stats;
  EXPECT_EQ(s.sm.loads_completed, 1u);
  EXPECT_EQ(s.l1.miss_latency.sum, s.sm.load_latency_sum);
  EXPECT_GT(s.l1.miss_latency.largest, 50u);
}

TEST(MissLatency, CountsEveryReadThatIsNoHit) {
  for (const char* gpu : {"clustered60", "k40", "v100"}) {
    const MachineStats s = run("bfs", spec_of(gpu));
    std::uint64_t samples = 0;
    for (const std::uint64_t n : s.l1.miss_latency.bins) samples += n;
    EXPECT_EQ(samples, s.l1.reads.in - s.l1.reads.hits) << gpu;
  }
}

TEST(Funnel, WithoutMetersThereIsNoPotential) {
  const MachineStats s = run("vecadd", spec_of("clustered60"));
  EXPECT_EQ(s.potential.cluster.requests, 0u);
  const Funnel f = funnel(s, false);
  for (const FunnelLevel& l : f.levels) EXPECT_FALSE(l.could_merge) << l.name;
  EXPECT_FALSE(f.left(funnel_places()[0]));
  EXPECT_GT(f.at(Stage::Bursts).count, 0u);
}

TEST(Funnel, MetersGiveTheSameOnAnyThreads) {
  const GpuSpec spec = spec_of("clustered60", kMeasured);
  const auto one = counters(run("bfs", spec));
  EXPECT_EQ(counters(run("bfs", spec, 2)), one);
  EXPECT_EQ(counters(run("bfs", spec, 3)), one);
}

TEST(Funnel, EveryCounterIsDeclared) {
  stats::check_declared<PotentialLevels>();
  stats::check_declared<mem::LocalityStats>();
  stats::check_declared<cluster::ClusterStats>();
  stats::check_declared<cache::L1Stats>();
  stats::check_declared<dram::DramStats>();
  stats::check_declared<hierarchy::PartitionStats>();
}

}  // namespace
}  // namespace heddle::gpu
