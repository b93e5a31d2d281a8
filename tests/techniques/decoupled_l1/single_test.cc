// Whole machines with one L1 for all SMs: no second copy, the bandwidth of private L1s, composition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "bench.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

GpuSpec eight_sms(const char* organization, const Settings& more = {}) {
  Settings s = {"gpu.clusters=8",     "memory.partitions=4",
                "l1.sets=16",         "l1.ways=4",
                "l1.port_bytes=128B", "measure.replication=true",
                "sm.lsu_queue=16",    std::string("l1.organization=") + organization};
  s.insert(s.end(), more.begin(), more.end());
  return lab(s);
}

// Every warp has `lines` lines of its own and reads all of them in each of `rounds` rounds.
std::string own_lines(std::uint32_t lines, const char* rounds) {
  return "shr.u32 %r40, %gid, 5; mul.lo.u32 %r40, %r40, " + std::to_string(lines * 128) +
         "; shl.b32 %r41, %lane, 2; add.u32 %r40, %r40, %r41; cvt.u64.u32 %rd1, %r40; add.u64 %rd1, %a, "
         "%rd1;" +
         loop(rounds, times(lines, "ld.global.u32 %r#, [%rd1+#*128];")) + use(lines);
}

double time_of(const GpuSpec& spec, const std::string& body, const Shape& shape) {
  return static_cast<double>(cycles_of(spec, body, shape, 8 << 20));
}

// CTAs start a thousand cycles after each other: what the first has fetched, the others find.
TEST(SingleL1, HasOneCopyOfEveryLine) {
  Bench bench(eight_sms("single", {"gpu.launch_rate=1"}));
  bench.load("shl.b32 %r1, %tid, 2; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %a, %rd1;" +
             times(2, times(32, "ld.global.u32 %r2, [%rd1+#*128];")) + use(3));
  const MachineStats& s = bench.run({8, 32}, bench.words(1 << 16)).stats;
  const auto& replication = s.groups.get<mem::ReplicationStats>("replication");
  EXPECT_EQ(replication.misses, 32u);
  EXPECT_EQ(replication.replicated, 0u);
  EXPECT_EQ(replication.held_cycles, replication.distinct_cycles);
  EXPECT_EQ(s.l1().reads.in, 8u * 64);
  EXPECT_EQ(s.l2().reads.requests, 32u);
}

// Hits: every SM has a port of its own, whatever its width.
TEST(SingleL1, HitsHaveTheBandwidthOfPrivateL1s) {
  const std::string body = own_lines(8, "200");
  constexpr double kLines = 4 * 8 * 200;  // of an SM: warps x lines x rounds
  for (const auto& [port, each] : {std::pair{"l1.port_bytes=128B", 1}, {"l1.port_bytes=32B", 4}}) {
    const double own = time_of(eight_sms("private", {port}), body, {8, 128});
    const double one = time_of(eight_sms("single", {port}), body, {8, 128});
    EXPECT_NEAR(one, own, 0.02 * own) << port;
    EXPECT_GE(one, each * kLines);
  }
}

// Misses leave by all ports of the memory networks, as those of private L1s do: also when one SM alone has
// them.
TEST(SingleL1, MissesLeaveByAllPorts) {
  const Settings fast = {"memory.partitions=8", "gpu.l2_at_start=host_copies", "l1.mshr_entries=64",
                         "l1.allocate=on_fill", "noc.request.clock=250MHz"};
  const std::string body = own_lines(32, "1");
  const auto time = [&](const char* organization, std::uint32_t ctas) {
    return time_of(eight_sms(organization, fast), body, {ctas, 512});
  };
  const double own = time("private", 32), one = time("single", 32);
  EXPECT_LT(one, 1.1 * own);
  EXPECT_GT(one, 0.8 * own);
  EXPECT_LT(time("single", 1), 0.6 * time("private", 1));
}

// With one SM there is no difference at all.
TEST(SingleL1, OfOneSmIsItsOwn) {
  const auto all = [](const char* organization) {
    Bench bench(eight_sms(organization, {"gpu.clusters=1", "l1.miss_queue=64"}));
    bench.load(own_lines(16, "3") + "st.global.u32 [%rd1], %r1; ld.global.u32 %r1, [%rd1]; " + use(2));
    return counters(bench.run({6, 96}, bench.words(1 << 16)).stats);
  };
  EXPECT_EQ(all("single"), all("private"));
}

MachineStats run_single(const char* workload, const Settings& more, const MachineOptions& options = {}) {
  Settings s = {"l1.organization=single", "l1.index=linear"};
  s.insert(s.end(), more.begin(), more.end());
  TimingDevice device(spec_of("clustered60", s), {options});
  const workload::Verification v =
      workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  return device.total();
}

TEST(SingleL1, RunsWithTheOtherTechniques) {
  for (const Settings& more :
       {Settings{}, Settings{"sm.load_front=warppool"}, Settings{"sm.load_front=mrpb"},
        Settings{"sm.load_front=banked"}, Settings{"cluster.merger=icc"}, Settings{"l1.prefetcher=next_line"},
        Settings{"noc.request.topology=hierarchical", "noc.reply.topology=hierarchical"}}) {
    SCOPED_TRACE(testing::PrintToString(more));
    run_single("transpose", more);
  }
}

// Also where readers are answered in turns.
TEST(SingleL1, GivesTheSameOnAnyThreadsAndCycleByCycle) {
  for (const Settings& s : {Settings{}, Settings{"l1.replies_per_cycle=1", "l1.misses_per_cycle=1"}}) {
    const auto one = counters(run_single("2dconv", s));
    MachineOptions threads, slow;
    threads.threads = 3;
    slow.every_cycle = true;
    EXPECT_EQ(counters(run_single("2dconv", s, threads)), one);
    EXPECT_EQ(counters(run_single("2dconv", s, slow)), one);
  }
}

TEST(SingleL1, RefusesAnIndexThatCannotMakeItsSets) {
  try {
    spec_of("clustered60", {"l1.organization=single", "l1.index=fermi", "l1.sets=32"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("l1.index"));
    EXPECT_THAT(e.what(), testing::HasSubstr("linear"));
  }
}

}  // namespace
}  // namespace heddle::gpu
