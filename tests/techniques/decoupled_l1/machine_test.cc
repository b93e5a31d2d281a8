// Whole machines with decoupled L1s: times by formula, copies of lines, what the queues do, composition.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "bench.h"
#include "gpu/unloaded.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

// Eight cores, four slices, no limit but those of the subject.
Settings eight(const Settings& more = {}) {
  Settings s = {"gpu.clusters=8", "memory.partitions=4",      "l1.sets=16",
                "l1.ways=4",      "measure.replication=true", "l1.organization=decoupled"};
  s.insert(s.end(), more.begin(), more.end());
  return s;
}

// Every thread reads its word of `lines` lines, the same for all CTAs, twice over.
const char* const kReadTwice = "mul.lo.u32 %r1, %tid, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %a, %rd1;";

std::string read_lines(int lines) {
  return kReadTwice + times(2, times(static_cast<std::uint32_t>(lines), "ld.global.u32 %r2, [%rd1+#*128];")) +
         use(3);
}

const MachineStats& after(Bench& bench, const std::string& body, const Shape& shape) {
  bench.load(body);
  return bench.run(shape, bench.words(1 << 16)).stats;
}

TEST(DecoupledL1, AHitTakesTheWayToTheNodeAndBack) {
  for (const Settings& more :
       {Settings{"l1.decoupled.clusters=0"}, Settings{"l1.decoupled.wire=9"},
        Settings{"l1.decoupled.latency=33", "l1.decoupled.nodes=4"},
        Settings{"noc.request.clock=500MHz", "noc.reply.clock=500MHz"},
        Settings{"noc.request.clock=500MHz", "noc.reply.clock=500MHz", "l1.decoupled.boost=2"}}) {
    const GpuSpec spec = lab(eight(more));
    // One thread goes round a chain of 8 lines: after the first round all are hits.
    Bench bench(spec);
    bench.load("mov.u64 %rd1, %a; mov.u32 %r1, %clock; " + loop("800", "ld.global.u64 %rd1, [%rd1];") +
               "st.global.u64 [%b], %rd1;");
    const auto chain = bench.chain(8, 128);
    const auto out = bench.words(2);
    bench.run({1, 1}, chain, out);
    const double cycles = static_cast<double>(bench.run({1, 1}, chain, out).cycles);
    const UnloadedLatency u = unloaded_latency(spec);
    ASSERT_GT(u.l1_hit, 0);
    EXPECT_NEAR(cycles / 800, u.l1_hit, 0.15 * u.l1_hit + 6) << testing::PrintToString(more);
  }
}

// CTAs start a thousand cycles after each other: what the first has fetched, the others find or fetch again.
TEST(DecoupledL1, SharingLeavesOneCopyOfALine) {
  const auto replication = [](const Settings& more) {
    Settings s = eight(more);
    s.push_back("gpu.launch_rate=1");
    Bench bench(lab(s));
    return after(bench, read_lines(32), {8, 32}).groups.get<mem::ReplicationStats>("replication");
  };
  const auto copies = [](const mem::ReplicationStats& r) {
    return static_cast<double>(r.held_cycles) / static_cast<double>(r.distinct_cycles);
  };
  const mem::ReplicationStats all = replication({"l1.decoupled.clusters=1"});
  EXPECT_EQ(all.misses, 32u);
  EXPECT_EQ(all.replicated, 0u);
  EXPECT_DOUBLE_EQ(copies(all), 1);
  const mem::ReplicationStats two = replication({"l1.decoupled.clusters=2"});
  EXPECT_EQ(two.misses, 2u * 32u);
  EXPECT_EQ(two.replicated, 32u);
  EXPECT_LE(copies(two), 2);
  EXPECT_GT(copies(two), 1.2);
  const mem::ReplicationStats own = replication({"l1.decoupled.clusters=0"});
  EXPECT_EQ(own.misses, 8u * 32u);
  EXPECT_EQ(own.replicated, 7u * 32u);
  EXPECT_GT(copies(own), 3);
  // The same of L1s beside their SMs.
  const mem::ReplicationStats beside = replication({"l1.organization=private"});
  EXPECT_EQ(beside.misses, own.misses);
  EXPECT_EQ(beside.replicated, own.replicated);
}

// A warp's hit on a whole line comes back as header and data, 5 flits, or 1 where lanes want one word.
TEST(DecoupledL1, RepliesCarryWhatWasAskedFor) {
  const auto flits = [](const char* stride) {
    Bench bench(lab(eight({"noc.request.flit=8B", "noc.reply.flit=32B", "noc.reply.header=8B"})));
    const std::string body = std::string("mul.lo.u32 %r1, %tid, ") + stride +
                             "; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %a, %rd1; ld.global.u32 %r0, [%rd1];" +
                             use(1);
    return after(bench, body, {1, 32}).groups.get<noc::NetworkStats>("core_reply_network").flits;
  };
  EXPECT_EQ(flits("4"), 5u);
  EXPECT_EQ(flits("0"), 1u);
}

// N cores behind one node: every line is 5 flits on its one link, at the clock of NoC#1.
TEST(DecoupledL1, ANodesLinkLimitsItsCores) {
  const auto cycles = [](const Settings& more) {
    Settings s = eight({"l1.decoupled.nodes=1", "l1.decoupled.clusters=0", "noc.reply.flit=32B",
                        "noc.reply.header=8B", "sm.lsu_queue=16", "l1.local_write_back=false"});
    s.insert(s.end(), more.begin(), more.end());
    Bench bench(lab(s));
    const std::string body = kReadTwice + loop("20", times(16, "ld.global.u32 %r#, [%rd1+#*128];")) + use(16);
    bench.load(body);
    return static_cast<double>(bench.run({64, 128}, bench.words(1 << 16)).cycles);
  };
  const double lines = 64.0 * 4 * 20 * 16;
  const double usual = cycles({}), boosted = cycles({"l1.decoupled.boost=2"});
  EXPECT_GT(usual, 5 * lines);
  EXPECT_LT(usual, 5.6 * lines);
  EXPECT_GT(usual / boosted, 1.7);
  // A queue's entries are beside what its wire keeps busy.
  EXPECT_LT(cycles({"l1.decoupled.queue=1", "l1.decoupled.wire=8"}), 1.02 * usual);
}

TEST(DecoupledL1, APerfectCacheAsksNothingOfL2) {
  Bench bench(lab(eight({"l1.perfect=true"})));
  const MachineStats& s = after(bench, read_lines(32), {8, 32});
  EXPECT_EQ(s.l1().reads.hits, s.l1().reads.in);
  EXPECT_EQ(s.l2().reads.requests, 0u);
}

// Eight cores wait for the same lines: more than Q2 has places for, whatever the cache answers in a cycle.
TEST(DecoupledL1, ManyWaitersAreAnsweredThroughAShortQueue) {
  for (const char* replies : {"l1.replies_per_cycle=1", "l1.replies_per_cycle=3"}) {
    Bench bench(
        lab(eight({"l1.decoupled.nodes=1", "l1.decoupled.queue=1", "l1.local_write_back=false", replies})));
    const MachineStats& s = after(bench, read_lines(32), {8, 32});
    EXPECT_EQ(s.l1().reads.forwarded, 32u);
    EXPECT_GT(s.l1().reads.merged, 32u);
  }
}

// An atomic executes at L2 with the operands of its SM, whichever node it passed.
TEST(DecoupledL1, AtomicsFindTheirOperands) {
  for (const char* clusters :
       {"l1.decoupled.clusters=0", "l1.decoupled.clusters=1", "l1.decoupled.clusters=4"}) {
    Bench bench(lab(eight({clusters})));
    bench.load(
        "add.u32 %r1, %gid, 1; atom.global.add.u32 %r2, [%a], %r1; mul.wide.u32 %rd1, %gid, 4; "
        "add.u64 %rd1, %b, %rd1; st.global.u32 [%rd1], %r2;");
    const auto sum = bench.words(1), olds = bench.words(1024);
    bench.run({32, 32}, sum, olds);
    EXPECT_EQ(bench.read(sum, 1)[0], 1024u * 1025 / 2);
  }
}

// A load after a store of the same SM does not hit on what was there before (write-evict in the node).
TEST(DecoupledL1, StoresEvict) {
  Bench bench(lab(eight()));
  const MachineStats& s =
      after(bench,
            "mul.lo.u32 %r1, %tid, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %a, %rd1;"
            "ld.global.u32 %r0, [%rd1]; add.u32 %r0, %r0, 1; st.global.u32 [%rd1], %r0; "
            "ld.global.u32 %r2, [%rd1]; add.u32 %r0, %r0, %r2; st.global.u32 [%rd1], %r0;",
            {1, 32});
  EXPECT_EQ(s.l1().reads.forwarded, 2u);
  EXPECT_EQ(s.l1().writes.forwarded, 2u);
}

MachineStats run(const char* workload, const Settings& settings, std::uint32_t threads = 1) {
  MachineOptions options;
  options.threads = threads;
  TimingDevice device(spec_of("clustered60", settings), {options});
  const workload::Verification v =
      workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  return device.total();
}

// With each of the other systems in one machine: results are checked by the workload, requests by the
// machine.
TEST(DecoupledL1, RunsWithTheOtherTechniques) {
  for (const Settings& more :
       {Settings{"sm.load_front=warppool"}, Settings{"sm.load_front=mrpb"},
        Settings{"cta.scheduler=distributed_block"},
        Settings{"cluster.merger=icc", "l1.decoupled.clusters=0"},
        Settings{"cluster.merger=icc_cc", "l1.decoupled.clusters=0", "sm.load_front=warppool"},
        Settings{"l1.prefetcher=next_line", "l1.decoupled.nodes=12", "l1.index=linear"},
        Settings{"l1.prefetcher=next_line", "l1.decoupled.nodes=48", "l1.decoupled.clusters=12",
                 "l1.index=linear"}}) {
    Settings s = {"l1.organization=decoupled"};
    s.insert(s.end(), more.begin(), more.end());
    SCOPED_TRACE(testing::PrintToString(more));
    run("transpose", s);
  }
}

TEST(DecoupledL1, GivesTheSameOnAnyThreads) {
  for (const auto& [nodes, clusters] : {std::pair{60, 0}, {40, 1}, {48, 12}}) {
    const Settings s = {"l1.organization=decoupled", fmt::format("l1.decoupled.nodes={}", nodes),
                        fmt::format("l1.decoupled.clusters={}", clusters), "measure.replication=true",
                        "l1.index=linear"};
    const auto one = counters(run("2dconv", s));
    EXPECT_EQ(counters(run("2dconv", s, 2)), one) << nodes;
    EXPECT_EQ(counters(run("2dconv", s, 3)), one) << nodes;
  }
}

}  // namespace
}  // namespace heddle::gpu
