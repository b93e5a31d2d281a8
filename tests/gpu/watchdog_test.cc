// A machine that cannot go on says so, and one that only takes long is left alone.
#include "bench.h"

#include "base/error.h"

namespace heddle::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Ended {
  std::string text;
  sim::Cycle cycles;
};
// How a launch that must not succeed ends.
Ended failure(const Settings& settings, std::string_view body, const Shape& shape,
              std::string_view globals = {}) {
  Bench b(lab(settings));
  b.load(body, globals);
  const auto a = b.words(64);
  try {
    b.run(shape, a);
  } catch (const Error& e) {
    return {e.what(), b.device().machine().engine().now()};
  }
  ADD_FAILURE() << "the kernel ended";
  return {};
}

// Thread 0 of every CTA arrives at %a and waits until all CTAs have.
constexpr std::string_view kGridBarrier = R"(
setp.ne.u32 %p1, %tid, 0;
@%p1 bra WAIT;
atom.global.add.u32 %r1, [%a], 1;
SPIN:
ld.volatile.global.u32 %r2, [%a];
setp.lt.u32 %p2, %r2, %ctas;
@%p2 bra SPIN;
WAIT:
bar.sync 0;
)";

TEST(Watchdog, AGridBarrierWithCtasThatNeverBecomeResident) {
  const Settings two = {"sm.ctas=2", "gpu.clusters=2"};
  Bench b(lab(two));
  b.load(kGridBarrier);
  b.run({.ctas = 4, .threads = 64}, b.words(64));  // all resident: it ends
  const Ended e = failure(two, kGridBarrier, {.ctas = 5, .threads = 64});
  EXPECT_THAT(e.text,
              AllOf(HasSubstr("does not proceed"), HasSubstr("0 of 5 CTAs have ended"), HasSubstr("SM 1"),
                    HasSubstr("at barriers"), HasSubstr("warp 0 of CTA 0 at test.ptx:")));
  EXPECT_LT(e.cycles, 1'000'000u);
}

TEST(Watchdog, ASpinOnAFlagThatNobodySets) {
  for (const char* load : {"ld.volatile.global.u32 %r1, [%a];", "ld.global.cg.u32 %r1, [%a];",
                           "atom.global.cas.b32 %r1, [%a], 7, 9;", "atom.global.add.u32 %r1, [%a], 0;"}) {
    const Ended e =
        failure({"gpu.clusters=2"}, "L:\n" + std::string(load) + "\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;",
                {.ctas = 4, .threads = 96});
    EXPECT_THAT(e.text, HasSubstr("repeats the same loop")) << load;
    EXPECT_LT(e.cycles, 1'000'000u) << load;
  }
}

TEST(Watchdog, ASpinOnSharedMemory) {
  const Ended e = failure(
      {},
      "mov.u64 %rd1, flag;\nL:\nld.volatile.shared.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;",
      {}, ".shared .align 4 .b8 flag[4];\n");
  EXPECT_THAT(e.text, HasSubstr("repeats the same loop"));
  EXPECT_LT(e.cycles, 1'000'000u);
}

TEST(Watchdog, AnEndlessLoop) {
  const Ended e = failure({}, "L:\nadd.u32 %r1, %tid, 1;\nbra L;", {.threads = 128});
  EXPECT_THAT(e.text, HasSubstr("repeats the same loop"));
  EXPECT_LT(e.cycles, 1'000'000u);
}

// Nobody can tell whether a loop that counts will end: only patience ends it.
TEST(Watchdog, AnEndlessLoopThatCounts) {
  const Ended e = failure({"gpu.patience=300000"}, "L:\nadd.u32 %r1, %r1, 1;\nbra L;", {});
  EXPECT_THAT(e.text,
              HasSubstr("an SM issued instructions in 300000 cycles without progress (gpu.patience)"));
  EXPECT_LT(e.cycles, 3'000'000u);
}

// Machines in which an answer takes longer than the watchdog looks, up to a second of their time.
const Settings kSlow[] = {{"dram.clock=1MHz"},
                          {"dram.tWL=100000", "dram.tCL=100000"},
                          {"noc.request.clock=1MHz"},
                          {"noc.reply.clock=1MHz"},
                          {"l2.clock=1MHz"},
                          {"latency.sm_to_cluster=10000", "noc.reply.clock=2MHz"},
                          {"gpu.launch_overhead=1000000"},
                          {"latency.network_to_cluster=10000", "gpu.patience=1000"}};

// A store per thread, each to a line and a row of its own: after a few cycles only stores drain.
TEST(Watchdog, LeavesStoresThatDrainAlone) {
  for (Settings settings : kSlow) {
    settings.push_back("gpu.clusters=2");
    SCOPED_TRACE(settings.front());
    Bench b(lab(settings));
    b.load("mul.wide.u32 %rd1, %gid, 4096;\nadd.u64 %rd1, %rd1, %a;\nst.global.u32 [%rd1], %gid;");
    const auto a = b.words(1024 * 1024);
    const LaunchResult& r = b.run({.ctas = 4, .threads = 256}, a);
    EXPECT_GT(r.cycles, 8192u);
    EXPECT_EQ(b.read(a, 1024 * 1023 + 1).back(), 1023u);
  }
}

// Nothing but loads for a long time, one after another.
TEST(Watchdog, LeavesLoadsThatTakeLongAlone) {
  for (const Settings& settings : kSlow) {
    SCOPED_TRACE(settings.front());
    Bench b(lab(settings));
    b.load(loop("20", "ld.global.u64 %a, [%a];") + "st.global.u64 [%b], %a;");
    const auto result = b.words(2);
    b.run({.threads = 1}, b.chain(64, 4096), result);
    EXPECT_NE(b.read(result, 1)[0], 0u);
  }
}

// Warp 0 counts up without waiting for answers, warp 1 waits for the count: both are soon in a state that
// they were in before, while nothing that was sent has arrived.
TEST(Watchdog, LeavesThoseAloneWhoWaitForAtomicsUnderWay) {
  for (const Settings& settings : kSlow) {
    SCOPED_TRACE(settings.front());
    Bench b(lab(settings));
    b.load(
        "setp.ge.u32 %p1, %tid, 32;\n@%p1 bra WAIT;\n"
        "COUNT:\nred.global.add.u32 [%a], 1;\nld.volatile.global.u32 %r1, [%b];\n"
        "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra COUNT;\nbra END;\n"
        "WAIT:\nld.volatile.global.u32 %r2, [%a];\nsetp.lt.u32 %p3, %r2, 3;\n@%p3 bra WAIT;\n"
        "st.global.u32 [%b], %tid;\nEND:");
    const auto a = b.words(64), flag = b.words(64);
    b.run({.threads = 64}, a, flag);
    EXPECT_GE(b.read(a, 1)[0], 3u);
  }
}

// Warp 1 waits at a barrier that warp 0 has left behind by exiting ... which is legal; one that waits for
// more threads than there are is not.
TEST(Watchdog, ABarrierForThreadsThatDoNotExist) {
  const Ended e = failure({}, "bar.sync 0, 96;", {.threads = 64});
  EXPECT_THAT(e.text, AllOf(HasSubstr("nobody can do anything any more"), HasSubstr("2 at barriers")));
  EXPECT_LT(e.cycles, 1000u);
}

// 3 million cycles without a store: registers change, so it is not taken for a loop without end.
TEST(Watchdog, LeavesALongComputationAlone) {
  Bench b(lab());
  b.load(loop("350000", "") + "add.u32 %r1, %r63, 1;\nst.global.u32 [%a], %r63;");
  const auto a = b.words(1);
  const LaunchResult& r = b.run({.threads = 1}, a);
  EXPECT_GT(r.cycles, 3'000'000u);
  EXPECT_EQ(b.read(a, 1)[0], 350000u);
}

// A warp that computes for long while others wait for its flag, and lanes that wait at a join for one that
// computes: nobody is stopped before the flag is set.
TEST(Watchdog, LeavesThoseAloneWhoWaitForALongComputation) {
  Bench b(lab({"gpu.clusters=2"}));
  b.load("setp.ne.u32 %p1, %cta, 0;\n@%p1 bra OTHERS;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra END;\n" +
         loop("50000", "") +
         "mov.u32 %r1, 1;\nst.global.u32 [%a], %r1;\nbra END;\nOTHERS:\nld.volatile.global.u32 %r2, [%a];\n"
         "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra OTHERS;\nEND:");
  const LaunchResult& r = b.run({.ctas = 3, .threads = 64}, b.words(64));
  EXPECT_GT(r.cycles, 450'000u);
}

// A scheduler may hold back the very warp that the others wait for.
TEST(Watchdog, ASpinOnAWarpThatMayNotIssue) {
  constexpr std::string_view kFlag = R"(
setp.ge.u32 %p1, %tid, 64;
@%p1 bra SET;
SPIN:
ld.volatile.global.u32 %r1, [%a];
setp.eq.u32 %p2, %r1, 0;
@%p2 bra SPIN;
bra END;
SET:
mov.u32 %r2, 1;
st.global.u32 [%a], %r2;
END:
)";
  const auto limit = [](int warps) {
    return Settings{"sm.scheduler=swl", "sm.swl.warps=" + std::to_string(warps)};
  };
  Bench b(lab(limit(3)));
  b.load(kFlag);
  b.run({.threads = 96}, b.words(64));
  const Ended e = failure(limit(2), kFlag, {.threads = 96});
  EXPECT_THAT(e.text, AllOf(HasSubstr("repeats the same loop"),
                            HasSubstr("1 are held back by their scheduler (swl)")));
  EXPECT_LT(e.cycles, 1'000'000u);
}

// Warp 1 may issue only while an atomic of warp 0, which waits for it, is under way.
TEST(Watchdog, LeavesThoseAloneWhoAreHeldBackMostOfTheTime) {
  for (const Settings& slow : {Settings{"latency.sm_to_cluster=1"}, kSlow[0], kSlow[2]}) {
    SCOPED_TRACE(slow.front());
    Settings settings = {"sm.scheduler=swl", "sm.swl.warps=1"};
    settings.insert(settings.end(), slow.begin(), slow.end());
    Bench b(lab(settings));
    b.load(
        "setp.ge.u32 %p1, %tid, 32;\n@%p1 bra SET;\n"
        "SPIN:\natom.global.add.u32 %r1, [%a], 0;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra SPIN;\nbra "
        "END;\nSET:\n" +
        loop("20000", "") + "mov.u32 %r2, 1;\nst.global.u32 [%a], %r2;\nEND:");
    b.run({.threads = 64}, b.words(64));
  }
}

// The end of an error leaves no trace: the next launch of the device runs.
TEST(Watchdog, AllocationsOfALimitedRunStay) {
  MachineOptions options;
  options.max_cycles = 20'000;
  Bench b(lab(), options);
  b.load("st.global.u32 [%a], %gid;\nL:\nadd.u32 %r1, %r1, 1;\nbra L;");
  const auto a = b.words(1);
  EXPECT_THROW(b.run({.threads = 1}, a), Stopped);
  const LaunchResult& r = b.device().launches().back();
  EXPECT_EQ(r.end, sim::EndReason::CycleLimit);
  EXPECT_GE(r.cycles, 20'000u);
  EXPECT_LT(r.cycles, 20'100u);
  EXPECT_GT(r.stats.sm().instructions, 3000u);
}

}  // namespace
}  // namespace heddle::gpu
