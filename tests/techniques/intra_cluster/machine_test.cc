// Intra-cluster coalescing in a whole machine: right results, the same on any number of threads, and what is
// merged does not enter the network.
#include "bench.h"
#include "gpu/unloaded.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

struct Case {
  const char *workload, *merger;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.workload << " with " << c.merger;
}

MachineStats run(const char* workload, const Settings& settings, const MachineOptions& options = {}) {
  TimingDevice device(spec_of("clustered60", settings), {options});
  const workload::Verification v =
      workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  return device.total();
}

MachineOptions with(std::uint32_t threads, std::uint32_t map) {
  MachineOptions o;
  o.threads = threads;
  o.thread_map = map;
  return o;
}

class Coalescing : public testing::TestWithParam<Case> {};

TEST_P(Coalescing, MergedReadsDoNotEnterTheNetwork) {
  const std::string merger = GetParam().merger;
  const MachineStats s = run(GetParam().workload, {"cluster.merger=" + merger});
  EXPECT_GT(s.merger().merged, 0u);
  EXPECT_EQ(s.merger().offered, s.merger().forwarded + s.merger().merged + s.merger().held);
  EXPECT_EQ(s.merger().offered_sectors,
            s.merger().forwarded_sectors + s.merger().merged_sectors + s.merger().held_sectors);
  EXPECT_EQ(s.request_network().injected, s.cluster().requests - s.merger().merged - s.merger().held);
  // icc.md rule 21: read requests are counted behind the merger.
  EXPECT_EQ(s.cluster().injected_reads, s.cluster().global_reads - s.merger().merged - s.merger().held);
  EXPECT_EQ(s.cluster().delivered, s.cluster().requests);
  EXPECT_EQ(s.merger().repeated, 0u);  // icc.md rule 12: L1 MSHRs ask once
  EXPECT_GT(s.merger().entries_peak, 1u);
  EXPECT_LE(s.merger().entries_peak, 48u);
  if (merger == "icc") {
    EXPECT_EQ(s.merger().store_lookups, 0u);
    EXPECT_EQ(s.merger().held, 0u);
  } else {
    EXPECT_GT(s.merger().store_insertions, 0u);
  }
}

// The L1s are the same ones, so about as many requests come to the port; fewer go on.
TEST_P(Coalescing, TheRequestNetworkCarriesLess) {
  const MachineStats plain = run(GetParam().workload, {});
  const MachineStats s = run(GetParam().workload, {std::string("cluster.merger=") + GetParam().merger});
  const auto saved = static_cast<double>(s.merger().merged + s.merger().held);
  const auto less = static_cast<double>(plain.request_network().injected) -
                    static_cast<double>(s.request_network().injected);
  EXPECT_GT(less, 0);
  EXPECT_NEAR(less, saved, 0.25 * saved + 0.02 * static_cast<double>(plain.request_network().injected));
}

TEST_P(Coalescing, GivesTheSameOnAnyThreads) {
  const Settings settings = {std::string("cluster.merger=") + GetParam().merger};
  const auto one = counters(run(GetParam().workload, settings, with(1, 0)));
  EXPECT_EQ(counters(run(GetParam().workload, settings, with(2, 0))), one);
  EXPECT_EQ(counters(run(GetParam().workload, settings, with(3, 1))), one);
}

INSTANTIATE_TEST_SUITE_P(IntraCluster, Coalescing,
                         testing::Values(Case{"hotspot", "icc"}, Case{"hotspot", "icc_cc"},
                                         Case{"lud", "icc"}, Case{"lud", "icc_cc"}, Case{"dct8x8", "icc"},
                                         Case{"dct8x8", "icc_cc"}),
                         [](const auto& test) {
                           return std::string(test.param.workload) + "_" + test.param.merger;
                         });

// Sectored L1s ask for other sectors of a line that they wait for, but for none of them twice.
TEST(SectoredCoalescing, RequestsOfAnL1NeverRepeat) {
  TimingDevice device(spec_of("h200", {"cluster.merger=icc_cc"}), {});
  EXPECT_TRUE(workloads::find_workload("matrixmul")->run(device, {workload::Scale::Tiny, 1}).ok);
  const cluster::MergerStats s = device.total().merger();
  EXPECT_GT(s.merged, 0u);
  EXPECT_EQ(s.repeated, 0u);
  EXPECT_EQ(s.offered_sectors, s.forwarded_sectors + s.merged_sectors + s.held_sectors);
}

// ---- small kernels, times by hand

constexpr std::uint32_t kLines = 32;

constexpr std::string_view kLoad = "ld.global.u32 %r#, [%rd1+#*128];";

// Every SM of a cluster reads the same lines, one CTA per SM.
LaunchResult same_lines(const Settings& more, std::string_view load = kLoad, std::uint32_t sms = 4) {
  Settings settings = {"gpu.sms_per_cluster=" + std::to_string(sms), "gpu.l2_at_start=host_copies",
                       "cluster.requests_per_cycle=0"};
  settings.insert(settings.end(), more.begin(), more.end());
  Bench b(lab(settings));
  b.load("mul.wide.u32 %rd1, %lane, 4;\nadd.u64 %rd1, %rd1, %a;\n" + times(kLines, load) + use(kLines));
  const auto a = b.words(std::vector<std::uint32_t>(kLines * 32));
  return b.run({.ctas = sms, .threads = 32}, a);
}

TEST(IntraClusterEffects, FourSmsShareEveryRead) {
  EXPECT_EQ(same_lines({}).stats.l2().reads.requests, 4 * kLines);
  const MachineStats s = same_lines({"cluster.merger=icc"}).stats;
  EXPECT_EQ(s.l2().reads.requests, kLines);
  EXPECT_EQ(s.merger().merged, 3 * kLines);
  EXPECT_EQ(s.merger().requesters.bins[4], kLines);
}

TEST(IntraClusterEffects, LoadsThatPassTheL1ByAreSentUnlessSaidOtherwise) {
  constexpr std::string_view kPastL1 = "ld.global.cg.u32 %r#, [%rd1+#*128];";
  EXPECT_EQ(same_lines({"cluster.merger=icc"}, kPastL1).stats.l2().reads.requests, 4 * kLines);
  EXPECT_EQ(same_lines({"cluster.merger=icc", "cluster.icc.bypassing_loads=true"}, kPastL1)
                .stats.l2()
                .reads.requests,
            kLines);
}

// One load waits for the next: a lookup is seen twice, for request and reply.
sim::Cycle chase(const Settings& settings) {
  Bench b(lab(settings));
  b.load("mov.u64 %rd1, %a;\n" + times(16, "ld.global.u64 %rd1, [%rd1];") + "add.u64 %rd1, %rd1, 1;");
  return b.run({.threads = 1}, b.chain(17, 128)).cycles;
}

TEST(IntraClusterEffects, LookupLatency) {
  const sim::Cycle plain = chase({});
  EXPECT_EQ(chase({"cluster.merger=icc"}), plain + 16 * 2);
  EXPECT_EQ(chase({"cluster.merger=icc", "cluster.icc.latency=0"}), plain);
  EXPECT_EQ(chase({"cluster.merger=icc", "cluster.icc.latency=4"}), plain + 16 * 2 * 4);
  EXPECT_EQ(chase({"cluster.merger=icc_cc"}), plain + 16 * 2);
  EXPECT_EQ(chase({"cluster.merger=icc_cc", "cluster.icc_cc.lookup=serial"}), plain + 16 * 3);
  EXPECT_EQ(unloaded_latency(lab({"cluster.merger=icc", "cluster.icc.latency=4"})).l2_hit,
            unloaded_latency(lab()).l2_hit + 2 * 4);
}

// A reply for n SMs takes one turn of the response FIFO, or n: with so many that the FIFO binds, eight SMs
// more are eight turns more for every line.
TEST(IntraClusterEffects, Broadcast) {
  const auto at = [](std::uint32_t sms, const char* broadcast) {
    return same_lines({"cluster.merger=icc", std::string("cluster.broadcast=") + broadcast}, kLoad, sms)
        .cycles;
  };
  EXPECT_EQ(at(16, "true"), at(8, "true"));
  EXPECT_EQ(at(16, "false") - at(8, "false"), 8 * kLines);
}

}  // namespace
}  // namespace heddle::gpu
