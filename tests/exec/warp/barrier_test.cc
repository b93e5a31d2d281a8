// Barriers of the CTA, and CTAs that wait for each other.
#include "bench.h"

namespace heddle::exec {
namespace {

// Thread t writes cell t; after `barrier` it reads the cell of its opposite in the CTA.
std::string exchange(const std::string& barrier) {
  return R"(
.shared .align 4 .b32 cell[1024];
mov.u32 %r1, cell; mad.lo.u32 %r2, %tid, 4, %r1; add.u32 %r3, %tid, 7; st.shared.u32 [%r2], %r3;
)" + barrier +
         R"(
mov.u32 %r4, %ntid.x; sub.u32 %r4, %r4, %tid; sub.u32 %r4, %r4, 1; mad.lo.u32 %r4, %r4, 4, %r1;
ld.shared.u32 %r5, [%r4]; st.global.u32 [%mine], %r5;)";
}

TEST(Barrier, AllWarpsMeet) {
  for (const std::uint32_t n : {32u, 64u, 256u, 1024u, 45u, 33u, 1u})
    EXPECT_EQ(run(exchange("bar.sync 0;"), {.block = {n, 1, 1}}),
              expected(n, [&](auto i) { return n - 1 - i + 7; }))
        << n;
}

TEST(Barrier, WarpsAndLanesThatHaveExitedAreNotWaitedFor) {
  EXPECT_EQ(run(R"(
setp.ge.u32 %p1, %tid, 40; @%p1 exit;
bar.sync 0; st.global.u32 [%mine], 1;)",
                {.block = {128, 1, 1}}),
            expected(128, [](auto i) { return i < 40; }));
}

TEST(Barrier, ExitAfterOthersAlreadyWait) {
  // Warp 0 waits before warp 1 has run at all and left.
  EXPECT_EQ(run(R"(
setp.ge.u32 %p1, %tid, 32; @%p1 bra LATE;
bar.sync 0; st.global.u32 [%mine], 1; ret;
LATE: exit;)",
                {.block = {64, 1, 1}}),
            expected(64, [](auto i) { return i < 32; }));
}

TEST(Barrier, InDivergentCode) {
  // Both sides of a branch inside the warp meet at barriers of their own place in the program.
  EXPECT_EQ(run(exchange(R"(
and.b32 %r6, %tid, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra EVEN;
barrier.sync 0; bra MET;
EVEN: barrier.sync 0;
MET: )"),
                {.block = {64, 1, 1}}),
            expected(64, [](auto i) { return 63 - i + 7; }));
}

TEST(Barrier, OneLaneOfAWarpBehindAnIf) {
  // The others wait for it at the end of the if; the barrier must not wait for them.
  EXPECT_EQ(run(R"(
and.b32 %r1, %tid, 31; setp.ne.u32 %p1, %r1, 0; @%p1 bra END;
bar.sync 0;
END: st.global.u32 [%mine], 1;)",
                {.block = {96, 1, 1}}),
            expected(96, [](auto) { return 1; }));
}

TEST(Barrier, ManyRounds) {
  // A sum that only comes out when every round is separated from the next.
  EXPECT_EQ(run(R"(
.shared .u32 sum; mov.u32 %r1, 0;
LOOP: setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [sum], 0;
bar.sync 0; red.shared.add.u32 [sum], %tid; bar.sync 0;
ld.shared.u32 %r3, [sum]; add.u32 %r4, %r4, %r3; bar.sync 0;
add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 10; @%p2 bra LOOP;
st.global.u32 [%mine], %r4;)",
                {.block = {128, 1, 1}}),
            expected(128, [](auto) { return 10 * 127 * 128 / 2; }));
}

TEST(Barrier, NamedBarriersSeparateGroupsOfWarps) {
  // Warps 0, 1 meet at barrier 1, warps 2, 3 at barrier 2, of 64 threads each.
  EXPECT_EQ(run(R"(
.shared .align 4 .b32 cell[128];
mov.u32 %r1, cell; mad.lo.u32 %r2, %tid, 4, %r1; st.shared.u32 [%r2], %tid;
shr.u32 %r3, %tid, 6; add.u32 %r3, %r3, 1; bar.sync %r3, 64;
xor.b32 %r4, %tid, 63; mad.lo.u32 %r4, %r4, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [%mine], %r5;)",
                {.block = {128, 1, 1}}),
            expected(128, [](auto i) { return i ^ 63; }));
}

TEST(Barrier, ArriveLetsTheProducerGoOn) {
  // Warp 0 produces into one buffer, signals "full" (1), waits for "empty" (2); warp 1 the other way round.
  EXPECT_EQ(run(R"(
.shared .align 4 .b32 cell[32];
mov.u32 %r1, cell; mad.lo.u32 %r1, %lane, 4, %r1; mov.u32 %r2, 0; mov.u32 %r3, 0;
setp.ge.u32 %p1, %tid, 32; @%p1 bra CONSUMER;
PRODUCER: mad.lo.u32 %r4, %r2, 100, %lane; st.shared.u32 [%r1], %r4;
bar.arrive 1, 64; bar.sync 2, 64;
add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5; @%p2 bra PRODUCER; ret;
CONSUMER: bar.sync 1, 64; ld.shared.u32 %r4, [%r1]; add.u32 %r3, %r3, %r4; bar.arrive 2, 64;
add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5; @%p2 bra CONSUMER;
st.global.u32 [%mine], %r3;)",
                {.block = {64, 1, 1}}),
            expected(64, [](auto i) { return i < 32 ? 0 : 5 * (i - 32) + 1000; }));
}

TEST(Barrier, Reductions) {
  EXPECT_EQ(run(R"(
setp.lt.u32 %p1, %tid, 50; setp.ne.u32 %p2, %tid, 99; setp.eq.u32 %p3, %tid, 99;
bar.red.popc.u32 %r1, 0, %p1; bar.red.and.pred %p4, 0, %p2; bar.red.or.pred %p5, 0, %p3;
bar.red.popc.u32 %r2, 0, !%p1; mad.lo.u32 %r1, %r2, 1000, %r1;
@%p4 add.u32 %r1, %r1, 1000000; @%p5 add.u32 %r1, %r1, 2000000; st.global.u32 [%mine], %r1;)",
                {.block = {70, 1, 1}}),
            expected(70, [](auto) { return 50 + 20000 + 1000000; }));
}

TEST(Barrier, CountThatIsNoMultipleOfAWarpIsAnError) {
  Bench b("bar.sync 1, 40; //bar");
  EXPECT_EQ(b.run_error().place().line, b.line("bar"));
}

TEST(Barrier, DeadlockIsReportedWithWhoWaitsWhere) {
  // Warp 0 waits at barrier 1, warp 1 at barrier 2, for both.
  Bench b(R"(
shr.u32 %r1, %tid, 5; add.u32 %r1, %r1, 1;
bar.sync %r1, 64; //bar
)",
          {.block = {64, 1, 1}});
  const Error e = b.run_error();
  EXPECT_THAT(e.what(), testing::HasSubstr("deadlock"));
  EXPECT_THAT(e.what(), testing::HasSubstr("CTA 0"));
  EXPECT_THAT(e.what(),
              testing::HasSubstr("wait at barrier 1 at bench.ptx:" + std::to_string(b.line("bar"))));
  EXPECT_THAT(e.what(), testing::HasSubstr("wait at barrier 2"));
}

// ---- grid-wide ----------------------------------------------------------------------------------------

TEST(Grid, EachCtaWaitsForTheNext) {
  // The last one to start is the first that can end.
  EXPECT_EQ(run(R"(
mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1; setp.eq.u32 %p1, %cta, %r1; @%p1 bra SET;
WAIT: ld.volatile.global.u32 %r2, [%mine+4]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;
SET: st.volatile.global.u32 [%mine], 1;)",
                {.grid = {100, 1, 1}, .block = {1, 1, 1}}),
            expected(100, [](auto) { return 1; }));
}

TEST(Grid, BarrierByAtomics) {
  // out[0] counts arrivals; afterwards each CTA reads what its opposite wrote before.
  const std::uint32_t n = 40;
  const auto out = run(R"(
add.u32 %r1, %cta, 5; setp.ne.u32 %p1, %tid, 0; @%p1 bra MET;
st.global.u32 [%mine+256], %r1; membar.gl;
mov.u32 %r2, %nctaid.x;
atom.global.add.u32 %r3, [%out], 1;
WAIT: ld.acquire.gpu.global.u32 %r3, [%out]; setp.lt.u32 %p2, %r3, %r2; @%p2 bra WAIT;
MET: bar.sync 0;
mov.u32 %r2, %nctaid.x; sub.u32 %r4, %r2, %cta; sub.u32 %r4, %r4, 1; mul.lo.u32 %r4, %r4, 64; mad.wide.u32 %rd1, %r4, 4, %out;
ld.global.u32 %r5, [%rd1+256]; st.global.u32 [%mine+20480], %r5;)",
                       {.grid = {n, 1, 1}, .block = {64, 1, 1}, .words = 3 * 64 * 64});
  for (std::uint32_t c = 0; c < n; ++c) EXPECT_EQ(out[5120 + 64 * c], n - 1 - c + 5) << c;
}

TEST(Grid, TicketLockBetweenCtas) {
  EXPECT_EQ(run(R"(
setp.ne.u32 %p1, %tid, 0; @%p1 ret;
atom.global.add.u32 %r1, [%out], 1;
WAIT: ld.volatile.global.u32 %r2, [%out+4]; setp.ne.u32 %p2, %r1, %r2; @%p2 bra WAIT;
ld.volatile.global.u32 %r3, [%out+8]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%out+8], %r3;
add.u32 %r2, %r2, 1; st.volatile.global.u32 [%out+4], %r2;)",
                {.grid = {50, 1, 1}, .block = {64, 1, 1}})
                .at(2),
            50u);
}

TEST(Grid, EndlessSpinIsReported) {
  Bench b(R"(
WAIT: ld.volatile.global.u32 %r2, [%out]; //wait
setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;)",
          {.grid = {3, 1, 1}, .block = {64, 1, 1}, .options = {.spin_limit = 50'000}});
  const Error e = b.run_error();
  EXPECT_THAT(e.what(), testing::HasSubstr("no progress"));
  EXPECT_THAT(e.what(), testing::HasSubstr("'k'"));
  for (const char* who : {"CTA 0", "CTA 2", "warp 0", "warp 1", "bench.ptx:"})
    EXPECT_THAT(e.what(), testing::HasSubstr(who));
}

TEST(Grid, LoopWithoutAnyMemoryAccessThatNeverEndsIsReported) {
  Bench b("LOOP: add.u32 %r1, %r1, 1; bra LOOP;", {.options = {.spin_limit = 5'000'000}});
  EXPECT_THAT(b.run_error().what(), testing::HasSubstr("no progress"));
}

TEST(Grid, TheDeviceCanBeUsedAfterADeadlock) {
  Bench b(
      "setp.eq.u32 %p1, %tid, 0; ld.global.u32 %r1, [%out]; setp.ne.u32 %p2, %r1, 0; @%p2 bra END;\n@%p1 "
      "bar.sync 1, 64; END: st.global.u32 [%mine], 3;",
      {.block = {32, 1, 1}});
  b.run_error();
  b.set_out({1});
  EXPECT_EQ(b.run().at(31), 3u);
}

TEST(Grid, SameLaunchTwiceGivesTheSameCountsAndMemory) {
  // Racy on purpose: the order of CTAs and lanes decides, and is always the same.
  const char* body = R"(
atom.global.add.u32 %r1, [%out], 1; st.global.u32 [%mine+4], %r1; and.b32 %r2, %r1, 7; mov.u32 %r3, 0;
LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra LOOP;
xor.b32 %r4, %gid, 64; mad.wide.u32 %rd1, %r4, 4, %out; st.global.u32 [%rd1], %r3;)";
  const Case given{.grid = {5, 1, 1}, .block = {96, 1, 1}, .words = 1024, .order_shows = true};
  Bench first(body, given), second(body, given);
  EXPECT_EQ(first.run(), second.run());
  const LaunchProfile &x = first.device().launches().back(), &y = second.device().launches().back();
  ASSERT_EQ(x.counts.size(), y.counts.size());
  for (std::size_t pc = 0; pc < x.counts.size(); ++pc) {
    EXPECT_EQ(x.counts[pc].issued, y.counts[pc].issued);
    EXPECT_EQ(x.counts[pc].lanes, y.counts[pc].lanes);
    EXPECT_EQ(x.accesses[pc].sectors, y.accesses[pc].sectors);
  }
}

}  // namespace
}  // namespace heddle::exec
