// CTA clustering on a simulated machine: kernels are rewritten as they are loaded, the program notices
// nothing but time, and tasks of a cluster run on its SM.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpu/bench.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

const Settings kCard = {"gpu.clusters=3", "sm.ctas=4"};  // three SMs of the lab

GpuSpec card(const Settings& more) {
  Settings all = kCard;
  all.insert(all.end(), more.begin(), more.end());
  return lab(all);
}
const SoftwareStats& software(const MachineStats& s) {
  return s.groups.get<SoftwareStats>(SoftwareStats::kGroup);
}

struct Ran {
  MachineStats stats;
  std::string input;
};
Ran run(const char* workload, const GpuSpec& spec, std::uint32_t threads = 1) {
  MachineOptions options;
  options.threads = threads;
  TimingDevice device(spec, {options});
  const workload::Verification v =
      workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  return {device.total(), device.input_hash()};
}

TEST(ClusteredMachine, GivesTheProgramsResultsOnAnyThreads) {
  for (const char* name : {"hotspot", "bfs", "lud", "syrk"}) {
    const Ran plain = run(name, spec_of("gtx570"));
    EXPECT_EQ(software(plain.stats).launches, 0u);
    for (const Settings& way :
         {Settings{"software.rewriter=redirection"}, Settings{"software.rewriter=agents"},
          Settings{"software.rewriter=agents", "software.agents.partition=graph"}}) {
      SCOPED_TRACE(std::string(name) + " " + way.back());
      const GpuSpec spec = spec_of("gtx570", way);
      const Ran one = run(name, spec), two = run(name, spec, 2);
      EXPECT_EQ(counters(one.stats), counters(two.stats));
      EXPECT_EQ(one.input, plain.input) << "the program is the same";
      EXPECT_EQ(software(one.stats).rewritten, one.stats.gpu.launches);
      EXPECT_GT(one.stats.sm().instructions, plain.stats.sm().instructions);
    }
  }
}

// Every CTA says which SM ran it and counts itself.
constexpr std::string_view kWhere = R"(
mul.wide.u32 %rd1, %cta, 4;
add.u64 %rd2, %rd1, %a;
mov.u32 %r1, %smid;
st.global.u32 [%rd2], %r1;
mov.u32 %r2, %tid.x;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra DONE;
add.u64 %rd3, %rd1, %b;
atom.global.add.u32 %r3, [%rd3], 1;
DONE:
)";

struct Placed {
  std::vector<std::uint32_t> sm, count;
  MachineStats stats;
};
Placed place(const GpuSpec& spec, std::uint32_t ctas) {
  Bench b(spec);
  b.load(kWhere);
  const workload::DevicePtr where = b.words(ctas), count = b.words(ctas);
  const LaunchResult result = b.run({ctas, 64}, where, count);
  return {b.read(where, ctas), b.read(count, ctas), result.stats};
}

TEST(ClusteredMachine, AgentsFillTheirSmsAndDoEveryTaskOnce) {
  for (const std::uint32_t ctas : {1u, 3u, 12u, 13u, 100u})
    for (const std::uint32_t active : {0u, 1u, 3u}) {
      const Placed p =
          place(card({"software.rewriter=agents", "software.agents.active=" + std::to_string(active)}), ctas);
      EXPECT_THAT(p.count, testing::Each(1u)) << ctas << " " << active;
      EXPECT_EQ(p.stats.sm().ctas, 3 * std::min(4u, (ctas + 2) / 3)) << "no more than it has tasks";
    }
}

// Agents keep their task in shared memory: a kernel that leaves none runs as it was.
TEST(ClusteredMachine, KernelsThatLeaveNoSharedMemoryStayAsTheyAre) {
  Bench b(card({"software.rewriter=agents", "sm.shared_memory=16KiB"}));
  b.load(".shared .align 4 .b8 all[16384];\n" + std::string(kWhere));
  const workload::DevicePtr where = b.words(20), count = b.words(20);
  const LaunchResult result = b.run({20, 64}, where, count);
  EXPECT_THAT(b.read(count, 20), testing::Each(1u));
  EXPECT_EQ(result.stats.sm().ctas, 20u);
  EXPECT_EQ(software(result.stats).launches, 1u);
  EXPECT_EQ(software(result.stats).rewritten, 0u);
}

// A single task: the agents that find none need not ask in every cluster.
TEST(ClusteredMachine, AgentsWithoutTasksEndSoon) {
  const Placed p = place(lab({"gpu.clusters=16", "sm.ctas=4", "software.rewriter=agents"}), 1);
  EXPECT_EQ(p.stats.sm().ctas, 16u);
  // Each comes, asks in its own cluster and leaves. One has a task, whose kernel has an atomic: it tells that
  // the cluster is empty then, and asks again.
  EXPECT_LE(p.stats.l2().atomics.requests, 3 * 16u + 3);
}

// As many tasks as agents: an agent that asked ahead would have two, and others none.
TEST(ClusteredMachine, NobodyTakesTwoTasksWhileOthersHaveNone) {
  constexpr std::string_view kWaits = R"(
mov.u32 %r1, %clock;
WAIT:
mov.u32 %r2, %clock;
sub.u32 %r3, %r2, %r1;
setp.lt.u32 %p1, %r3, 20000;
@%p1 bra WAIT;
)";
  Bench b(card({"software.rewriter=agents"}));
  b.load(kWaits);
  EXPECT_LT(b.run({12, 64}).cycles, 35000u);
}

// Those of a cluster run together but for those that others took at the end.
TEST(ClusteredMachine, NeighboursRunOnOneSm) {
  const auto together = [](const Placed& p) {
    std::size_t n = 0;
    for (std::size_t i = 1; i < p.sm.size(); ++i) n += p.sm[i] == p.sm[i - 1] ? 1 : 0;
    return n;
  };
  const std::uint32_t ctas = 120;
  EXPECT_LT(together(place(card({}), ctas)), 60u);
  EXPECT_GT(together(place(card({"software.rewriter=agents"}), ctas)), 100u);
}

// CTAs that read the same line run on one SM, wherever they are in the grid: those whose numbers are the same
// modulo 6 share.
TEST(ClusteredMachine, WhoSharesRunsOnOneSmByTheGraph) {
  const std::string body =
      "rem.u32 %r4, %cta, 6;\nmul.wide.u32 %rd4, %r4, 128;\nadd.u64 %rd5, %rd4, %c;\n"
      "ld.global.u32 %r5, [%rd5];\n" +
      std::string(kWhere);
  const auto together = [&](const char* partition) {
    Bench b(card({"software.rewriter=agents", std::string("software.agents.partition=") + partition}));
    b.load(body);
    const std::uint32_t ctas = 120;
    const workload::DevicePtr where = b.words(ctas), count = b.words(ctas), shared = b.words(6 * 32);
    const MachineStats stats = b.run({ctas, 64}, where, count, shared).stats;
    const std::vector<std::uint32_t> counts = b.read(count, ctas);
    EXPECT_THAT(counts, testing::Each(1u));
    EXPECT_EQ(software(stats).rewritten, 1u);
    const std::vector<std::uint32_t> sm = b.read(where, ctas);
    std::size_t n = 0;
    for (std::size_t i = 6; i < sm.size(); ++i) n += sm[i] == sm[i - 6] ? 1 : 0;
    return n;
  };
  EXPECT_GT(together("graph"), together("row"));
  EXPECT_GT(together("graph"), 95u);
}

TEST(ClusteredMachine, RedirectionHasNoGraph) {
  EXPECT_THROW(card({"software.rewriter=redirection", "software.redirection.partition=graph"}), Error);
}

// Launches that overlap have counters of their own.
TEST(ClusteredMachine, StreamsDoNotTakeEachOthersTasks) {
  Bench b(card({"software.rewriter=agents"}));
  b.load(kWhere);
  std::vector<workload::DevicePtr> counts;
  for (std::uint32_t stream = 0; stream < 3; ++stream) {
    workload::Launch l;
    l.kernel = "k";
    l.grid = {20 + stream, 1, 1};
    l.block = {64, 1, 1};
    l.args = workload::args(b.words(32), counts.emplace_back(b.words(32)), 0ull, 0u);
    b.device().enqueue(l, stream);
  }
  b.device().run_queued();
  for (std::uint32_t stream = 0; stream < 3; ++stream) {
    const std::vector<std::uint32_t> count = b.read(counts[stream], 20 + stream);
    EXPECT_THAT(count, testing::Each(1u)) << stream;
  }
  EXPECT_EQ(software(b.device().total()).rewritten, 3u);
}

// A kernel that reads its CTA's own lines once: without prefetching nothing is found.
TEST(ClusteredMachine, AgentsPrefetchForTheNextTask) {
  constexpr std::string_view kStreams = R"(
shl.b32 %r1, %cta, 6;
add.u32 %r1, %r1, %tid;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd2, %rd1, %a;
ld.global.u32 %r2, [%rd2];
add.u32 %r3, %r2, 1;
add.u64 %rd3, %rd1, %b;
st.global.u32 [%rd3], %r3;
)";
  const auto found = [&](const Settings& more) {
    Bench b(card(more));
    b.load(kStreams);
    const workload::DevicePtr a = b.words(60 * 64), out = b.words(60 * 64);
    const LaunchResult r = b.run({60, 64}, a, out);
    EXPECT_THAT(b.read(out, 60 * 64), testing::Each(1u));
    return r.stats.l1().reads.hits + r.stats.l1().reads.merged;  // there, or on the way
  };
  EXPECT_EQ(found({"software.rewriter=agents"}), 0u);
  EXPECT_GT(found({"software.rewriter=agents", "software.agents.prefetch=true"}), 60u * 2u / 2);
}

TEST(ClusteredMachine, ThrottlingLeavesSoManyCtas) {
  const auto at_once = [&](const Settings& more) {
    Bench b(card(more));
    b.load(kWhere);
    const workload::DevicePtr where = b.words(60), count = b.words(60);
    return b.run({60, 64}, where, count).occupancy.ctas;
  };
  EXPECT_EQ(at_once({}), 4u);
  for (const std::uint32_t n : {1u, 2u, 3u})
    EXPECT_EQ(at_once({"software.rewriter=throttling", "software.throttling.ctas=" + std::to_string(n)}), n);
  EXPECT_EQ(at_once({"software.rewriter=throttling", "software.throttling.ctas=9"}), 4u);
}

}  // namespace
}  // namespace heddle::gpu
