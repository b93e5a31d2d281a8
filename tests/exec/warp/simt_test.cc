// Lanes of one warp that wait for each other, as code for sm_70 and later may.
#include "bench.h"

namespace heddle::exec {
namespace {

TEST(Simt, SpinLockBetweenLanesOfAWarpEnds) {
  // while (atomicCAS(lock, 0, 1) != 0); count = count + 1; lock = 0;
  EXPECT_EQ(run(R"(
SPIN: atom.global.cas.b32 %r1, [%out], 0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra SPIN;
ld.volatile.global.u32 %r2, [%out+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%out+4], %r2;
membar.gl; atom.global.exch.b32 %r3, [%out], 0;)",
                {.grid = {2, 1, 1}, .block = {64, 1, 1}})
                .at(1),
            128u);
}

TEST(Simt, SpinLockWithTheCriticalSectionInsideTheLoopEnds) {
  EXPECT_EQ(run(R"(
mov.u32 %r4, 0;
SPIN: atom.global.cas.b32 %r1, [%out], 0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra NEXT;
ld.volatile.global.u32 %r2, [%out+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%out+4], %r2;
atom.global.exch.b32 %r3, [%out], 0; mov.u32 %r4, 1;
NEXT: setp.eq.u32 %p2, %r4, 0; @%p2 bra SPIN;)")
                .at(1),
            32u);
}

TEST(Simt, ProducerAndConsumerLanes) {
  // Lane 0 waits in one branch for what lane 1 writes in the other; whoever comes first must not starve.
  for (const char* sense : {"@%p1", "@!%p1"}) {
    EXPECT_EQ(run(std::string(R"(
.shared .u32 flag; .shared .u32 data;
setp.ne.u32 %p1, %lane, 0;
)") + sense + R"( bra B;
setp.eq.u32 %p1, %lane, 0; @!%p1 bra PRODUCE; bra CONSUME;
B: setp.eq.u32 %p1, %lane, 0; @%p1 bra CONSUME;
PRODUCE: setp.ne.u32 %p2, %lane, 1; @%p2 bra END;
st.volatile.shared.u32 [data], 77; st.volatile.shared.u32 [flag], 1; bra END;
CONSUME: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p3, %r1, 0; @%p3 bra CONSUME;
ld.volatile.shared.u32 %r2, [data]; st.global.u32 [%out], %r2;
END: )")
                  .at(0),
              77u);
  }
}

TEST(Simt, LanesThatWaitAtAJoinAreFreedWhenTwoOthersSpinInTurns) {
  // Lane 2 leaves the even lanes' loop at once and then sets the flags for which all others spin, the odd
  // ones in a loop of their own: two splits are always ready, and lane 2 waits at a join for one of them.
  EXPECT_EQ(run(R"(
.shared .u32 flag;
and.b32 %r1, %lane, 1; setp.ne.u32 %p1, %r1, 0;
@%p1 bra ODD;
EVEN: setp.eq.u32 %p2, %lane, 2; @%p2 bra OUT;
ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p3, %r2, 0; @%p3 bra EVEN;
OUT: @%p2 st.volatile.shared.u32 [flag], 1;
bra END;
ODD: ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p3, %r2, 0; @%p3 bra ODD;
END: st.global.u32 [%mine], 1;)",
                {.options = {.spin_limit = 1'000'000}}),
            expected(32, [](auto) { return 1; }));
}

TEST(Simt, ShuffleOfOneBranchWithAPartialMask) {
  Bench b(R"(
setp.lt.u32 %p1, %lane, 8;
@!%p1 bra ELSE;
shfl.sync.bfly.b32 %r1, %lane, 7, 0x1f, 0xff; //shuffle
bra END;
ELSE: shfl.sync.idx.b32 %r1, %lane, 31, 0x1f, 0xffffff00;
END: st.global.u32 [%mine], %r1; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 8 ? i ^ 7 : 31; }));
  EXPECT_EQ(b.issued("shuffle"), 1u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(Simt, ShuffleInALoopThatLanesLeaveAtDifferentTimes) {
  // The mask names all lanes, those that left the loop have exited: they are not waited for.
  EXPECT_EQ(run(R"(
mov.u32 %r1, 0;
LOOP: add.u32 %r1, %r1, 1; st.global.u32 [%mine], %r1;
setp.gt.u32 %p1, %r1, %lane; @%p1 exit;
shfl.sync.idx.b32 %r2, %r1, 31, 0x1f, 0xffffffff;
bra LOOP;)"),
            expected(32, [](auto i) { return i + 1; }));
}

TEST(Simt, FullMaskShuffleGathersLanesThatWaitAtAJoin) {
  // Half of the warp reaches the shuffle by another way and would wait behind it.
  Bench b(R"(
setp.lt.u32 %p1, %lane, 16; mov.u32 %r1, %lane;
mov.u32 %r3, 0;
@%p1 bra S;
add.u32 %r3, %r3, 1;
add.u32 %r1, %r1, 100;
S: shfl.sync.bfly.b32 %r2, %r1, 16, 0x1f, 0xffffffff; //shuffle
st.global.u32 [%mine], %r2;)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 16 ? i + 16 + 100 : i - 16; }));
  EXPECT_EQ(b.issued("shuffle"), 1u);
}

TEST(Simt, SyncwarpInBothBranchesMeets) {
  // Each side writes, synchronises, reads what the other side wrote.
  EXPECT_EQ(run(R"(
.shared .align 4 .b32 cell[32];
mov.u32 %r1, cell; mad.lo.u32 %r2, %lane, 4, %r1; xor.b32 %r3, %lane, 1; mad.lo.u32 %r3, %r3, 4, %r1;
and.b32 %r4, %lane, 1; setp.eq.u32 %p1, %r4, 0; add.u32 %r5, %lane, 50;
@%p1 bra EVEN;
st.shared.u32 [%r2], %r5; bar.warp.sync 0xffffffff; ld.shared.u32 %r6, [%r3]; bra END;
EVEN: st.shared.u32 [%r2], %r5; bar.warp.sync 0xffffffff; ld.shared.u32 %r6, [%r3];
END: st.global.u32 [%mine], %r6;)"),
            expected(32, [](auto i) { return (i ^ 1) + 50; }));
}

TEST(Simt, VotesWithAMaskPerGroupOfLanes) {
  EXPECT_EQ(run(R"(
and.b32 %r1, %lane, 24; mov.u32 %r2, 0xff; shl.b32 %r2, %r2, %r1;
and.b32 %r3, %lane, 3; setp.eq.u32 %p1, %r3, 1;
vote.sync.ballot.b32 %r4, %p1, %r2; st.global.u32 [%mine], %r4;)"),
            expected(32, [](auto i) { return 0x22u << (i & 24); }));
  EXPECT_EQ(run(R"(
and.b32 %r1, %lane, 24; mov.u32 %r2, 0xff; shl.b32 %r2, %r2, %r1;
setp.lt.u32 %p1, %lane, 12;
vote.sync.all.pred %p2, %p1, %r2; vote.sync.any.pred %p3, %p1, %r2; vote.sync.uni.pred %p4, %p1, %r2;
selp.u32 %r3, 1, 0, %p2; @%p3 or.b32 %r3, %r3, 2; @%p4 or.b32 %r3, %r3, 4; st.global.u32 [%mine], %r3;)"),
            expected(32, [](auto i) { return i < 8    ? 7
                                             : i < 16 ? 2
                                                      : 4; }));
}

TEST(Simt, VoteCountsOnlyLanesThatTakePart) {
  EXPECT_EQ(run(R"(
setp.ge.u32 %p1, %lane, 20; @%p1 exit;
setp.ne.u32 %p2, %lane, 99;
vote.sync.ballot.b32 %r1, %p2, 0xffffffff; st.global.u32 [%mine], %r1;)"),
            expected(32, [](auto i) { return i < 20 ? 0xfffff : 0; }));
}

TEST(Simt, MatchAnyAndAll) {
  EXPECT_EQ(run(R"(
and.b32 %r1, %lane, 3; match.any.sync.b32 %r2, %r1, 0xffffffff; st.global.u32 [%mine], %r2;)"),
            expected(32, [](auto i) { return 0x11111111u << (i & 3); }));
  EXPECT_EQ(run(R"(
and.b32 %r1, %lane, 16; setp.eq.u32 %p1, %r1, 0; selp.u32 %r2, 0xffff, 0xffff0000, %p1;
setp.eq.u32 %p3, %lane, 3; selp.u32 %r1, 5, %r1, %p3; cvt.u64.u32 %rd1, %r1;
match.all.sync.b64 %r3|%p2, %rd1, %r2; @!%p2 mov.u32 %r3, 1; st.global.u32 [%mine], %r3;)"),
            expected(32, [](auto i) { return i < 16 ? 1u : 0xffff0000u; }));
}

TEST(Simt, ReduxOverAMask) {
  EXPECT_EQ(run(R"(
and.b32 %r1, %lane, 16; mov.u32 %r2, 0xffff; shl.b32 %r2, %r2, %r1;
redux.sync.add.u32 %r3, %lane, %r2; st.global.u32 [%mine], %r3;)"),
            expected(32, [](auto i) { return i < 16 ? 120 : 376; }));
}

TEST(Simt, ReduxWithAMaskWithoutTheLaneItselfDoesNotCrash) {
  // Undefined by the manual; it must not read beyond the warp.
  EXPECT_NO_THROW(run("mov.u32 %r2, 0; redux.sync.add.u32 %r3, %lane, %r2; st.global.u32 [%mine], %r3;"));
}

TEST(Simt, ActivemaskIsThoseWhoRunTogether) {
  EXPECT_EQ(run(R"(
setp.lt.u32 %p1, %lane, 5; @%p1 bra A;
activemask.b32 %r1; bra END;
A: activemask.b32 %r1;
END: st.global.u32 [%mine], %r1;)"),
            expected(32, [](auto i) { return i < 5 ? 0x1f : 0xffffffe0; }));
}

TEST(Simt, ElectChoosesOneLane) {
  EXPECT_EQ(run(R"(
setp.lt.u32 %p1, %lane, 4; @%p1 exit;
elect.sync %r1|%p2, 0xfffffff0; selp.u32 %r2, 100, 0, %p2; add.u32 %r1, %r1, %r2; st.global.u32 [%mine], %r1;)"),
            expected(32, [](auto i) { return i < 4    ? 0
                                             : i == 4 ? 104
                                                      : 4; }));
}

TEST(Simt, ShuffleModes) {
  // Segments of eight lanes, as the manual's pseudocode has them.
  auto shuffle = [](const std::string& mode, const std::string& b, const std::string& c) {
    return run("shfl.sync." + mode + ".b32 %r1|%p1, %lane, " + b + ", " + c +
               ", 0xffffffff; @!%p1 add.u32 %r1, %r1, 100; st.global.u32 [%mine], %r1;");
  };
  EXPECT_EQ(shuffle("up", "3", "0x1800"), expected(32, [](auto i) { return i % 8 >= 3 ? i - 3 : i + 100; }));
  EXPECT_EQ(shuffle("down", "3", "0x181f"), expected(32, [](auto i) { return i % 8 < 5 ? i + 3 : i + 100; }));
  EXPECT_EQ(shuffle("bfly", "5", "0x181f"), expected(32, [](auto i) { return i ^ 5; }));
  EXPECT_EQ(shuffle("bfly", "9", "0x181f"), expected(32, [](auto i) { return i & 8 ? i ^ 9 : i + 100; }));
  EXPECT_EQ(shuffle("idx", "6", "0x181f"), expected(32, [](auto i) { return (i & 24) + 6; }));
}

TEST(Simt, LanesThatWaitForEachOtherForeverAreReported) {
  Bench b(R"(
setp.eq.u32 %p1, %lane, 0; @%p1 bra WAIT;
bra END;
WAIT: ld.volatile.global.u32 %r1, [%out]; //wait
setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT;
END: st.global.u32 [%mine+4], 1;)",
          {.words = 64, .options = {.spin_limit = 100'000}});
  const Error e = b.run_error();
  EXPECT_THAT(e.what(), testing::HasSubstr("no progress"));
  EXPECT_THAT(e.what(), testing::HasSubstr("lanes 00000001"));
  EXPECT_THAT(e.what(), testing::ContainsRegex("bench.ptx:1[0-9]"));
}

}  // namespace
}  // namespace heddle::exec
