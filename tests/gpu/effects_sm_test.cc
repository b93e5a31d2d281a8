// Effects inside an SM, shown on the whole machine: switching one off changes the cycles by what the
// description predicts. docs/effects.md lists all effects and their tests.
#include "bench.h"
#include "formulas.h"

namespace heddle::gpu {
namespace {

sim::Cycle cycles(const Settings& settings, std::string_view body, const Shape& shape = {}) {
  return cycles_of(lab(settings), body, shape);
}

// %rd1: %a + 4 * lane.
constexpr std::string_view kLaneAddress = "mul.wide.u32 %rd1, %lane, 4;\nadd.u64 %rd1, %a, %rd1;\n";

// ---- counts ---------------------------------------------------------------------------------------------

sm::IssueStats issued(std::string_view body, std::uint32_t threads) {
  Bench b(lab());
  b.load(body);
  return b.run({.threads = threads}, b.words(32)).stats.sm().issue;
}

TEST(SmCounts, LanesByClassAndRegisters) {
  constexpr std::string_view kFma = "fma.rn.f32 %f1, %f2, %f3, %f4;\n", kAdd = "add.u64 %rd1, %rd2, %rd3;\n";
  const std::string fma(kFma), twice = fma + fma, wide = fma + std::string(kAdd);
  const auto lanes = [](const sm::IssueStats& s, workload::InstrClass c) {
    return s.lanes[static_cast<std::size_t>(c)];
  };
  const sm::IssueStats one = issued(fma, 20), two = issued(twice, 20), both = issued(wide, 20);
  EXPECT_EQ(lanes(one, workload::InstrClass::FloatMad), 20u);
  EXPECT_EQ(lanes(two, workload::InstrClass::FloatMad), 40u);
  EXPECT_EQ(two.operands - one.operands, 3 * 20u);
  EXPECT_EQ(two.results - one.results, 20u);
  EXPECT_EQ(lanes(both, workload::InstrClass::Int64Add) - lanes(one, workload::InstrClass::Int64Add), 20u);
  EXPECT_EQ(both.operands - one.operands, 2 * 2 * 20u);
  EXPECT_EQ(both.results - one.results, 2 * 20u);
}

// ---- stores ---------------------------------------------------------------------------------------------

// The CTA ends with its only store's acknowledgement: all the way to L2 and back, where the data go there.
TEST(SmEffects, StoreAcknowledgement) {
  const std::string body = std::string(kLaneAddress) + "st.global.u32 [%rd1], %r1;\n";
  const Settings l2 = {"l2.write_miss=validate"};
  Settings off = l2;
  off.push_back("sm.store_ack=false");
  const GpuSpec s = lab(l2);
  const LatencySpec& l = s.latency;
  // 5 + 1 flits in the request network (128 bytes and a header), 1 + 1 in the reply network.
  const sim::Cycle way = 1 + l.sm_to_cluster + 1 + l.cluster_to_network + 6 + l.network_to_partition +
                         s.l2().latency + l.partition_to_network + 2 + l.network_to_cluster + 1 +
                         l.cluster_to_sm;
  // Without, the CTA ends when its warp does: the store's issue and the exit in the next cycle.
  EXPECT_EQ(cycles(l2, body) - cycles(off, body), way - 1);
}

// With the parameter off, CTAs follow each other while stores of earlier ones are under way, and late
// acknowledgements reach nobody.
TEST(SmEffects, StoresOutliveTheirCtas) {
  const std::string body =
      "mul.wide.u32 %rd1, %gid, 4;\nadd.u64 %rd1, %a, %rd1;\nst.global.u32 [%rd1], %gid;\n";
  Bench b(lab({"sm.store_ack=false", "sm.ctas=2"}));
  b.load(body);
  const auto a = b.words(64 * 50);
  b.run({.ctas = 50, .threads = 64}, a);
  const auto out = b.read(a, 64 * 50);
  for (std::uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i);
}

// Local stores that the L1 keeps have no answer: their CTA must end all the same.
TEST(SmEffects, LocalStoresThatStayInL1) {
  const std::string body = ".local .align 4 .b8 stack[64];\n" + times(8, "st.local.u32 [stack+#*4], %gid;") +
                           "membar.gl;\nld.local.u32 %r1, [stack+8];\n" + std::string(kLaneAddress) +
                           "st.global.u32 [%rd1], %r1;\n";
  Bench b(lab());
  b.load(body);
  const auto a = b.words(32);
  const LaunchResult& r = b.run({}, a);
  EXPECT_EQ(r.stats.l1().writes.hits, 8u);
  EXPECT_EQ(b.read(a, 32)[31], 31u);
}

// ---- asynchronous copies --------------------------------------------------------------------------------

// Lane 0 copies `bytes` in bulk to shared memory; the warp waits for them at an mbarrier, then lane 0 stores
// the last word.
std::string bulk_copy(std::uint32_t bytes) {
  const std::string n = std::to_string(bytes);
  return ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 data[8192];\nmov.u32 %r1, bar;\nmov.u32 %r2, "
         "data;\n"
         "setp.ne.u32 %p1, %lane, 0;\n@%p1 bra WAIT;\nmbarrier.init.shared.b64 [%r1], 1;\n"
         "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], " +
         n +
         ";\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%a], " +
         n +
         ", [%r1];\n"
         "WAIT: bar.warp.sync 0xffffffff;\n"
         "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0;\n@!%p2 bra AGAIN;\n@%p1 exit;\n"
         "ld.shared.u32 %r3, [%r2+" +
         std::to_string(bytes - 4) + "];\nst.global.u32 [%b], %r3;\n";
}

TEST(SmEffects, BulkCopiesTakeTheWayOfTheirLines) {
  const auto run = [](std::uint32_t bytes, const Settings& settings) {
    Bench b(lab(settings));
    b.load(bulk_copy(bytes));
    std::vector<std::uint32_t> values(2048);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 5 + 1;
    const auto a = b.words(values), to = b.words(32);
    const LaunchResult r = b.run({}, a, to);
    EXPECT_EQ(b.read(to, 1)[0], values[bytes / 4 - 1]);
    EXPECT_EQ(r.stats.sm().global_load.lines, bytes / 128);
    EXPECT_EQ(r.stats.l1().reads.bypassed, bytes / 128);
    return r.cycles;
  };
  const sim::Cycle one = run(128, {});
  EXPECT_GT(run(8192, {}), one + 63) << "a request per cycle at most";
  // 40 for the copy and 40 for the store behind it; the wait is a loop, so it sees the bytes a turn later at
  // most.
  const sim::Cycle slower = run(128, {"l2.latency=" + std::to_string(lab().l2().latency + 40)});
  EXPECT_NEAR(static_cast<double>(slower), static_cast<double>(one + 80), 30);
}

// cp.async.wait_all waits for the data: two copies with a wait between take the way one after the other.
TEST(SmEffects, CopiesOfLanesAreWaitedFor) {
  const std::string head = ".shared .align 16 .b8 data[128];\n" + std::string(kLaneAddress) +
                           "mov.u32 %r2, data;\nmad.lo.u32 %r2, %lane, 4, %r2;\n";
  const std::string one = "cp.async.ca.shared.global [%r2], [%rd1], 4;\n";
  const std::string other = "cp.async.ca.shared.global [%r2], [%rd1+4096], 4;\n";
  const std::string third = "cp.async.ca.shared.global [%r2], [%rd1+8192], 4;\n";
  const std::string wait = "cp.async.wait_all;\n";
  const Settings slow = {"l2.latency=" + std::to_string(lab().l2().latency + 500)};
  const auto longer = [&](const std::string& body) { return cycles(slow, body) - cycles({}, body); };
  EXPECT_EQ(longer(head + one + wait + other + wait), 1000u);
  EXPECT_EQ(longer(head + one + other + wait), 500u);
  EXPECT_EQ(longer(head + one + "cp.async.commit_group;\n" + other +
                   "cp.async.commit_group;\ncp.async.wait_group 1;\n" + third + wait),
            1000u)
      << "the first group only";
}

// ---- the load/store unit --------------------------------------------------------------------------------

constexpr std::uint32_t kTimes = 20;

// Loads that all depend on the one before, of words that hold zero, from %rd9 on.
std::string dependent(const std::string& space, const std::string& from, std::uint32_t stride) {
  return "mov.u64 %rd9, " + from + ";\nmul.lo.u32 %r2, %lane, " + std::to_string(stride) +
         ";\nmov.u32 %r1, 0;\n" +
         times(kTimes, "add.u32 %r3, %r1, %r2;\ncvt.u64.u32 %rd1, %r3;\nadd.u64 %rd1, %rd1, %rd9;\nld." +
                           space + ".u32 %r1, [%rd1];") +
         "add.u32 %r1, %r1, 1;\n";
}

// 32 words of one bank take 32 cycles instead of 1; with 64 banks half of them meet.
TEST(SmEffects, SharedBankConflicts) {
  const std::string globals = ".shared .align 4 .b8 buffer[8192];\n";
  const auto at = [&](std::uint32_t stride, const Settings& settings) {
    Bench b(lab(settings));
    b.load(dependent("shared", "buffer", stride), globals);
    return b.run({}, b.words(32)).cycles;
  };
  EXPECT_EQ(at(128, {}) - at(4, {}), kTimes * 31);
  EXPECT_EQ(at(128, {}) - at(128, {"sm.shared_banks=64"}), kTimes * 16);
}

// 32 lines leave one per cycle; the data of the last decide. All hit: the lines were loaded before.
TEST(SmEffects, UncoalescedAccess) {
  const auto at = [&](std::uint32_t stride) {
    const std::string warm = "mul.wide.u32 %rd2, %lane, " + std::to_string(stride) +
                             ";\nadd.u64 %rd2, %rd2, %a;\nld.global.u32 %r4, [%rd2];\n";
    // The second part's addresses depend on the first load, so the difference between one and two parts is
    // that of hits alone.
    const std::string wait = "and.b32 %r4, %r4, 0;\nadd.u32 %lane, %lane, %r4;\n";
    return cycles({}, warm + wait + dependent("global", "%a", stride)) - cycles({}, warm + wait);
  };
  EXPECT_EQ(at(128) - at(4), kTimes * 31);
}

// A miss that finds no MSHR blocks a shared-memory load behind it, which needs none.
TEST(SmEffects, InOrderBlocking) {
  const std::string globals = ".shared .align 4 .b8 buffer[128];\n";
  const auto at = [&](const char* mshrs) {
    Bench b(lab({"gpu.l2_at_start=host_copies", std::string("l1.mshr_entries=") + mshrs}));
    b.load(
        "mov.u32 %r9, %clock;\nld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%a+128];\nld.shared.u32 %r3, "
        "[buffer];\n"
        "and.b32 %r3, %r3, 0;\nmov.u32 %r8, %clock;\nadd.u32 %r8, %r8, %r3;\nsub.u32 %r8, %r8, %r9;\n"
        "add.u32 %r1, %r1, %r2;\nst.global.u32 [%b], %r8;",
        globals);
    const auto a = b.words(std::vector<std::uint32_t>(64)), out = b.words(1);
    b.run({.threads = 1}, a, out);
    return b.read(out, 1)[0];
  };
  const GpuSpec s = lab();
  // One MSHR: the second miss, and all behind it, goes in the cycle in which the first reply comes instead of
  // the cycle after the first miss.
  EXPECT_EQ(at("1") - at("2"), l2_hit(s) - 1 - 1);
}

// ---- control ----------------------------------------------------------------------------------------------

TEST(SmEffects, BarrierLatency) {
  const auto at = [](const char* latency) {
    return cycles({std::string("sm.barrier_latency=") + latency}, times(kTimes, "bar.sync 0;"),
                  {.threads = 64});
  };
  EXPECT_EQ(at("24") - at("4"), kTimes * 20);
}

TEST(SmEffects, BranchLatency) {
  const auto at = [](const char* latency) {
    return cycles({std::string("sm.branch_latency=") + latency}, loop("20", ""));
  };
  // The exit is a branch, too, but nothing follows it.
  EXPECT_EQ(at("9") - at("1"), 20 * 8);
}

TEST(SmEffects, BranchesThatAreNotTaken) {
  const auto at = [](const char* latency) {
    return cycles(
        {"sm.branch_latency=9", std::string("sm.untaken_latency=") + latency},
        "setp.eq.u32 %p1, %r1, 77;\n" + times(kTimes, "@%p1 bra END;") + "END: add.u32 %r1, %r1, 1;");
  };
  EXPECT_EQ(at("8") - at("3"), kTimes * 5);
}

TEST(SmEffects, PartingTakesItsTime) {
  const auto at = [](const char* latency, const char* lanes) {
    return cycles({std::string("sm.divergence_latency=") + latency},
                  std::string("mov.u32 %r2, %laneid; setp.lt.u32 %p1, %r2, ") + lanes + ";\n" +
                      loop("20", "@%p1 bra NEXT;\nadd.u32 %r1, %r1, 1;\nNEXT: add.u32 %r1, %r1, 1;"));
  };
  EXPECT_EQ(at("30", "16") - at("0", "16"), 20u * 30);
  EXPECT_EQ(at("30", "32"), at("0", "32"));
}

TEST(SmEffects, PredicatesThatGuardComeLater) {
  const auto at = [](const char* delay, const char* use) {
    return cycles({std::string("sm.guard_delay=") + delay},
                  times(kTimes, std::string("setp.eq.u32 %p1, %r1, 1; ") + use));
  };
  EXPECT_EQ(at("9", "@%p1 add.u32 %r1, %r1, 1;") - at("0", "@%p1 add.u32 %r1, %r1, 1;"), kTimes * 9);
  EXPECT_EQ(at("9", "selp.u32 %r1, %r1, 5, %p1;"), at("0", "selp.u32 %r1, %r1, 5, %p1;"));
}

// The comparison is long over when the load's value comes; the wait for it stands behind the addition.
TEST(SmEffects, WaitsStandBehindInstructions) {
  const auto at = [](const char* on, const char* delay, const char* value) {
    return cycles({std::string("sm.guard_delay=") + delay, std::string("sm.static_waits=") + on},
                  times(kTimes, std::string(value) + " setp.eq.u32 %p1, %r1, 1; add.u32 %r3, %r2, 1;\n"
                                                     "@%p1 add.u32 %r1, %r1, %r3;"));
  };
  const char *load = "ld.global.u32 %r2, [%a];", *sum = "add.u32 %r2, %r1, 3;";
  EXPECT_EQ(at("true", "9", load) - at("true", "3", load), kTimes * 6);
  EXPECT_EQ(at("false", "9", load), at("false", "3", load));
  EXPECT_EQ(at("true", "9", sum) - at("true", "3", sum), kTimes * 6);
  EXPECT_EQ(at("false", "9", sum) - at("false", "3", sum), kTimes * 6);
}

// One lane whose operands call for it is enough; lanes that do not execute the division do not count.
TEST(SmEffects, DivisionsOfZeroCallAFunction) {
  const auto at = [](const char* latency, const char* dividend, const char* guard) {
    return cycles(
        {std::string("sm.calls.division_latency=") + latency},
        std::string(
            "mov.f32 %f1, 0f3FA00000; mov.u32 %r2, %laneid; setp.eq.u32 %p1, %r2, 7;\n@%p1 mov.f32 %f1, ") +
            dividend + ";\nsetp.ne.u32 %p2, %r2, 7;\n" +
            times(kTimes, std::string(guard) + " div.rn.f32 %f2, %f1, 0f3FC00000; add.f32 %f3, %f2, %f2;"));
  };
  const char *zero = "0f00000000", *two = "0f40000000";
  EXPECT_EQ(at("208", zero, "") - at("0", zero, ""), kTimes * 208);
  EXPECT_EQ(at("208", two, ""), at("0", two, ""));
  EXPECT_EQ(at("208", zero, "@%p2"), at("0", zero, "@%p2"));
}

TEST(SmEffects, BarriersTakeOneWarpAfterAnother) {
  const auto at = [](const char* interval, std::uint32_t threads) {
    return cycles({std::string("sm.barrier_interval=") + interval, "sm.barrier_latency=40"},
                  times(kTimes, "bar.sync 0;"), {.threads = threads});
  };
  EXPECT_EQ(at("3", 32) - at("0", 32), kTimes * 3);
  // Eight warps come one after another, a cycle apart.
  EXPECT_NEAR(static_cast<double>(at("3", 256) - at("0", 256)), kTimes * (8 * 3 - 7), kTimes * 1);
}

TEST(SmEffects, ResultsOfBarriers) {
  const auto at = [](const char* more) {
    return cycles({std::string("sm.barrier_result=") + more},
                  "setp.eq.u32 %p1, %r1, 1;\n" + times(kTimes, "bar.red.popc.u32 %r2, 0, %p1;"),
                  {.threads = 64});
  };
  EXPECT_EQ(at("25") - at("0"), kTimes * 25);
}

TEST(SmEffects, FencesByTheirScope) {
  const auto at = [](const std::string& set, const char* fence) {
    return cycles({"sm." + set}, times(kTimes, fence));
  };
  EXPECT_EQ(at("fence_latency=200", "membar.gl;") - at("fence_latency=50", "membar.gl;"), kTimes * 150);
  EXPECT_EQ(at("cta_fence_latency=20", "membar.cta;") - at("cta_fence_latency=5", "membar.cta;"),
            kTimes * 15);
  EXPECT_EQ(at("fence_latency=200", "membar.cta;"), at("fence_latency=50", "membar.cta;"));
}

TEST(SmEffects, FencesOfAnSmFollowEachOther) {
  const auto at = [](const char* interval, const char* fence, const std::string& key) {
    return cycles({"sm." + key + "=" + interval}, times(kTimes, fence), {.threads = 256});
  };
  EXPECT_EQ(at("40", "membar.gl;", "fence_interval") - at("20", "membar.gl;", "fence_interval"),
            (kTimes * 8 - 1) * 20);
  EXPECT_EQ(at("40", "membar.cta;", "cta_fence_interval") - at("20", "membar.cta;", "cta_fence_interval"),
            (kTimes * 8 - 1) * 20);
}

// A line that the L1 holds costs behind a fence what a load costs that never looks there.
TEST(SmEffects, FencesEmptyTheL1) {
  const auto at = [](bool empty, const std::string& load, const std::string& fence) {
    return cycles({std::string("sm.fences_empty_l1=") + (empty ? "true" : "false"), "l1.bypass_global=false"},
                  std::string(kLaneAddress) + "ld.global.u32 %r9, [%rd1]; add.u32 %r9, %r9, 1;\n" +
                      times(kTimes, fence + load + " %r2, [%rd1]; add.u32 %r3, %r2, %r3;\n"));
  };
  const std::string gpu = "membar.gl;\n", cta = "membar.cta;\n", cached = "ld.global.ca.u32",
                    passing = "ld.global.cg.u32";
  EXPECT_EQ(at(true, cached, gpu), at(false, passing, gpu));
  EXPECT_LT(at(false, cached, gpu) + 20 * kTimes, at(true, cached, gpu));
  EXPECT_EQ(at(true, cached, cta), at(false, cached, cta)) << "the CTA's own fences do not";
}

// What is read behind it comes from L2, as it does itself.
TEST(SmEffects, AcquiringLoadsEmptyTheL1) {
  const auto at = [](bool empty, const char* acquire, const char* load) {
    return cycles({std::string("sm.fences_empty_l1=") + (empty ? "true" : "false")},
                  std::string(kLaneAddress) +
                      times(kTimes, std::string(acquire) + " %r2, [%rd1]; add.u32 %r3, %r2, %r3;\n" + load +
                                        " %r4, [%rd1]; add.u32 %r3, %r4, %r3;\n"));
  };
  const char *acquire = "ld.acquire.gpu.global.u32", *relaxed = "ld.relaxed.gpu.global.u32";
  EXPECT_NEAR(static_cast<double>(at(true, acquire, "ld.global.ca.u32")),
              static_cast<double>(at(false, relaxed, "ld.global.cg.u32")), 4 * kTimes);
  EXPECT_EQ(at(true, relaxed, "ld.global.ca.u32"), at(false, relaxed, "ld.global.ca.u32"));
}

TEST(SmEffects, MatchesTakeAPassForEachValue) {
  const auto at = [](const char* mask) {
    return cycles({"sm.timing.shuffle.latency=10", "sm.timing.shuffle.interval=3"},
                  std::string("mov.u32 %r2, %laneid; and.b32 %r2, %r2, ") + mask + ";\n" +
                      times(kTimes,
                            "match.any.sync.b32 %r3, %r2, 0xffffffff; and.b32 %r3, %r3, 0; "
                            "or.b32 %r2, %r2, %r3;"));
  };
  EXPECT_EQ(at("7") - at("0"), kTimes * 7 * 2 * 3);
}

// A line of 64 bytes holds eight instructions; the kernel's beginning and end are the same in both.
TEST(SmEffects, InstructionCacheMisses) {
  const auto at = [](std::uint32_t n, const char* bytes) {
    return cycles({std::string("sm.icache_bytes=") + bytes, "sm.icache_miss_latency=70"},
                  times(n, "add.u32 %r1, %r1, 1;"));
  };
  const sim::Cycle few = at(40, "2KiB") - at(40, "0B"), many = at(120, "2KiB") - at(120, "0B");
  // The fetch begins when the addition could have issued, so nothing of it is hidden.
  EXPECT_EQ(many - few, 10u * 70);
}

// Ten lines more, each 200 cycles after the one before; what is executed meanwhile is no cost.
TEST(SmEffects, CodeComesAtARate) {
  const auto at = [](std::uint32_t n, const char* bytes) {
    return cycles(
        {std::string("sm.icache_bytes=") + bytes, "sm.icache_miss_interval=200", "sm.icache_prefetch=true"},
        times(n, "add.u32 %r1, %r1, 1;"));
  };
  const sim::Cycle executed = at(120, "0B") - at(40, "0B");
  EXPECT_EQ(at(120, "2KiB") - at(40, "2KiB"), 10u * 200);
  EXPECT_LT(executed, 10u * 200);
}

// The second launch of a kernel finds its code, unless all caches are emptied in between, as a profiler does.
TEST(SmEffects, CodeStays) {
  const auto second = [](const char* kept, const char* l2) {
    Bench b(lab({"sm.icache_bytes=2KiB", "sm.icache_cold_latency=500", "sm.icache_miss_latency=70",
                 std::string("sm.icache_kept=") + kept, std::string("l2.kernel_end=") + l2}));
    b.load(times(40, "add.u32 %r1, %r1, 1;"));
    const sim::Cycle first = b.run({}, b.words(32)).cycles;
    return first - b.run({}, b.words(32)).cycles;
  };
  EXPECT_GE(second("true", "keep"), 500u + 4 * 70);
  EXPECT_EQ(second("false", "keep"), 0u);
  EXPECT_EQ(second("true", "flush"), 0u);
}

// What a kernel reads for the first time.
TEST(SmEffects, ConstantsAndParametersAreCold) {
  const auto constants = [](const char* latency, const char* stride) {
    Bench b(lab({"sm.constant_cache_bytes=8KiB", "sm.constant_miss_latency=90",
                 std::string("sm.constant_cold_latency=") + latency}));
    b.load(std::string("mov.u64 %rd9, table;\nmov.u32 %r1, 0;\n") +
               times(8, std::string("cvt.u64.u32 %rd1, %r1;\nadd.u64 %rd1, %rd1, %rd9;\nld.const.u32 %r1, "
                                    "[%rd1+#*") +
                            stride + "];") +
               "add.u32 %r1, %r1, 1;\n",
           ".const .align 256 .b8 table[8192];\n");
    return b.run({}, b.words(32)).cycles;
  };
  EXPECT_EQ(constants("700", "512") - constants("0", "512"), 8u * (700 - 90)) << "a piece each";
  EXPECT_EQ(constants("700", "4") - constants("0", "4"), 700u - 90) << "one for all";
  const auto parameters = [](const char* latency) {
    return cycles({std::string("sm.parameter_cold_latency=") + latency, "sm.timing.load_param.slots=1",
                   "sm.timing.load_param.latency=20"},
                  "ld.param.u32 %r1, [p3]; add.u32 %r1, %r1, 1;\nld.param.u32 %r2, [p3]; add.u32 %r2, "
                  "%r2, %r1;\n");
  };
  EXPECT_GT(parameters("90"), parameters("0"));
  EXPECT_LE(parameters("90") - parameters("0"), 90u);
}

TEST(SmEffects, ConstantCacheMisses) {
  const std::string globals = ".const .align 4 .b8 table[2048];\n";
  const auto at = [&](const char* bytes) {
    Bench b(lab({std::string("sm.constant_cache_bytes=") + bytes, "sm.constant_miss_latency=90"}));
    b.load("mov.u64 %rd9, table;\nmov.u32 %r1, 0;\n" +
               times(kTimes,
                     "cvt.u64.u32 %rd1, %r1;\nadd.u64 %rd1, %rd1, %rd9;\nld.const.u32 %r1, [%rd1+#*64];") +
               "add.u32 %r1, %r1, 1;\n",
           globals);
    return b.run({}, b.words(32)).cycles;
  };
  EXPECT_EQ(at("8KiB") - at("0B"), kTimes * 90);
}

// ---- CTAs and launches
// --------------------------------------------------------------------------------------

class Starts final : public sm::CtaObserver {
 public:
  void cta_started(std::uint32_t, std::uint32_t, std::uint64_t, sim::Cycle now) override {
    last = std::max(last, now);
  }
  void cta_ended(std::uint32_t, std::uint32_t, std::uint64_t, sim::Cycle) override {}
  sim::Cycle last = 0;
};

// 64 CTAs, all resident at once: the last begins 63 cycles after the first where one cluster launches them,
// 15 where four do.
TEST(CtaEffects, OneLaunchPerClusterAndCycle) {
  const auto at = [&](const char* clusters, const char* sms) {
    Starts starts;
    MachineOptions options;
    options.observer = &starts;
    Bench b(lab({std::string("gpu.clusters=") + clusters, std::string("gpu.sms_per_cluster=") + sms}),
            options);
    b.load(times(100, "add.u32 %r1, %r1, 1;"));
    b.run({.ctas = 64, .threads = 32}, b.words(32));
    return starts.last;
  };
  EXPECT_EQ(at("1", "4"), 63u);
  EXPECT_EQ(at("4", "1"), 15u);
}

// Five CTAs one after the other on one SM that holds one.
TEST(CtaEffects, Turnaround) {
  const auto at = [](const char* turnaround) {
    Bench b(lab({std::string("gpu.cta_turnaround=") + turnaround, "sm.ctas=1"}));
    b.load("add.u32 %r1, %gid, 1;");
    return b.run({.ctas = 5, .threads = 32}).cycles;
  };
  EXPECT_EQ(at("40") - at("1"), 4u * 39);
  EXPECT_EQ(at("300") - at("1"), 4u * 299);
}

TEST(CtaEffects, LaunchOverhead) {
  EXPECT_EQ(cycles({"gpu.launch_overhead=777"}, "") - cycles({}, ""), 777u);
}

}  // namespace
}  // namespace heddle::gpu
