// Branches of a warp: every lane takes its own way, and lanes that part meet again.
#include "bench.h"

namespace heddle::exec {
namespace {

TEST(ControlFlow, IfElseTakesBothSidesAndMeetsBehind) {
  Bench b(R"(
setp.lt.u32 %p1, %lane, 10;
@%p1 bra THEN;
mov.u32 %r1, 100; //else
bra.uni END;
THEN: mov.u32 %r1, 200; //then
END: add.u32 %r1, %r1, %lane; //after
st.global.u32 [%mine], %r1;)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return (i < 10 ? 200 : 100) + i; }));
  EXPECT_EQ(b.issued("then"), 1u);
  EXPECT_EQ(b.lanes("then"), 10u);
  EXPECT_EQ(b.issued("else"), 1u);
  EXPECT_EQ(b.lanes("else"), 22u);
  EXPECT_EQ(b.issued("after"), 1u);
  EXPECT_EQ(b.lanes("after"), 32u);
}

TEST(ControlFlow, UniformBranchDoesNotIssueTheOtherSide) {
  Bench b(R"(
setp.lt.u32 %p1, %lane, 32;
@%p1 bra END;
mov.u32 %r1, 100; //never
END: st.global.u32 [%mine], %lane;)");
  b.run();
  EXPECT_EQ(b.issued("never"), 0u);
}

TEST(ControlFlow, NestedIfsMeetAtEachLevel) {
  Bench b(R"(
mov.u32 %r1, 0;
and.b32 %r2, %lane, 1; setp.eq.u32 %p1, %r2, 0;
and.b32 %r2, %lane, 2; setp.eq.u32 %p2, %r2, 0;
@%p1 bra EVEN;
add.u32 %r1, %r1, 1;
bra.uni OUTER;
EVEN:
@%p2 bra FOUR;
add.u32 %r1, %r1, 10;
bra.uni INNER;
FOUR: add.u32 %r1, %r1, 100;
INNER: add.u32 %r1, %r1, 1000; //inner
OUTER: add.u32 %r1, %r1, 10000; //outer
st.global.u32 [%mine], %r1;)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return (i & 1 ? 1 : 1000 + (i & 2 ? 10 : 100)) + 10000; }));
  EXPECT_EQ(b.issued("inner"), 1u);
  EXPECT_EQ(b.lanes("inner"), 16u);
  EXPECT_EQ(b.issued("outer"), 1u);
}

TEST(ControlFlow, LanesLeaveALoopAfterTheirOwnNumberOfTurns) {
  Bench b(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0;
LOOP: add.u32 %r1, %r1, %r2; //body
add.u32 %r2, %r2, 1;
setp.le.u32 %p1, %r2, %lane;
@%p1 bra LOOP;
st.global.u32 [%mine], %r1; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i * (i + 1) / 2; }));
  EXPECT_EQ(b.issued("body"), 32u);
  EXPECT_EQ(b.lanes("body"), 32u * 33 / 2);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(ControlFlow, BreakAndContinue) {
  // for (i = 0;; ++i) { if (i & 1) continue; s += i; if (i >= lane) break; }
  Bench b(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0;
LOOP: and.b32 %r3, %r2, 1; setp.ne.u32 %p1, %r3, 0;
@%p1 bra NEXT;
add.u32 %r1, %r1, %r2;
setp.ge.u32 %p2, %r2, %lane;
@%p2 bra OUT;
NEXT: add.u32 %r2, %r2, 1;
bra.uni LOOP;
OUT: st.global.u32 [%mine], %r1; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) {
              const unsigned half = (i + 1) / 2;
              return half * (half + 1);
            }));
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(ControlFlow, NestedLoopsMeetAfterEachTurnOfTheOuterOne) {
  Bench b(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0;
OUTER: mov.u32 %r3, 0;
INNER: add.u32 %r1, %r1, 1;
add.u32 %r3, %r3, 1;
setp.le.u32 %p1, %r3, %lane;
@%p1 bra INNER;
add.u32 %r2, %r2, 1; //turn
setp.lt.u32 %p2, %r2, 5;
@%p2 bra OUTER;
st.global.u32 [%mine], %r1;)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return 5 * (i + 1); }));
  EXPECT_EQ(b.issued("turn"), 5u);
}

TEST(ControlFlow, JumpsIntoALoopFromTwoPlaces) {
  // An irreducible loop: even lanes enter at A, odd ones at B.
  Bench b(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0;
and.b32 %r3, %lane, 1; setp.ne.u32 %p1, %r3, 0;
@%p1 bra B;
A: add.u32 %r1, %r1, 1;
B: add.u32 %r1, %r1, 10;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p2, %r2, 3;
@%p2 bra A;
st.global.u32 [%mine], %r1; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i & 1 ? 32 : 33; }));
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(ControlFlow, SharedTailReachedFromDifferentIfs) {
  // if (l < 8 || (l >= 16 && l < 24)) x = 1; as short-circuit jumps.
  Bench b(R"(
mov.u32 %r1, 0;
setp.lt.u32 %p1, %lane, 8;
@%p1 bra YES;
setp.lt.u32 %p2, %lane, 16;
@%p2 bra NO;
setp.ge.u32 %p3, %lane, 24;
@%p3 bra NO;
YES: mov.u32 %r1, 1;
NO: st.global.u32 [%mine], %r1; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 8 || (i >= 16 && i < 24); }));
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(ControlFlow, LanesThatReturnEarlyLeaveTheOthersTogether) {
  Bench b(R"(
st.global.u32 [%mine], 1;
setp.ge.u32 %p1, %lane, 20;
@%p1 ret;
st.global.u32 [%mine], 2; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 20 ? 2 : 1; }));
  EXPECT_EQ(b.issued("after"), 1u);
  EXPECT_EQ(b.lanes("after"), 20u);
}

TEST(ControlFlow, ReturnInsideAnIfDoesNotKeepTheOthersApart) {
  // Those who neither entered nor left must go on as one group.
  for (const char* leave : {"ret", "exit"}) {
    Bench b(std::string(R"(
st.global.u32 [%mine], 1;
setp.ge.u32 %p1, %lane, 16; setp.ge.u32 %p2, %lane, 30;
@!%p1 bra REST;
st.global.u32 [%mine], 2;
@%p2 )") + leave +
            R"(;
st.global.u32 [%mine], 3;
REST: ld.global.u32 %r1, [%mine]; //after
add.u32 %r1, %r1, 10;
st.global.u32 [%mine], %r1;)");
    EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 16 ? 11 : i < 30 ? 13 : 2; }));
    EXPECT_EQ(b.issued("after"), 1u) << leave;
  }
}

TEST(ControlFlow, BranchToTheReturnInsideAnIfDoesNotKeepTheOthersApart) {
  // As compilers write `return` inside an if: a jump to the one ret of the kernel.
  Bench b(R"(
setp.ge.u32 %p1, %lane, 16; setp.ge.u32 %p2, %lane, 30;
@!%p1 bra REST;
@%p2 bra DONE;
st.global.u32 [%mine], 3;
REST: ld.global.u32 %r1, [%mine]; //after
add.u32 %r1, %r1, 10;
st.global.u32 [%mine], %r1;
DONE: ret;)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 16 ? 10 : i < 30 ? 13 : 0; }));
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(ControlFlow, ReturnOutOfALoop) {
  Bench b(R"(
mov.u32 %r1, 0;
LOOP: st.global.u32 [%mine], %r1;
setp.eq.u32 %p1, %r1, %lane;
@%p1 exit;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p2, %r1, 16;
@%p2 bra LOOP;
st.global.u32 [%mine], 99; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 16 ? i : 99; }));
  EXPECT_EQ(b.issued("after"), 1u);
  EXPECT_EQ(b.lanes("after"), 16u);
}

TEST(ControlFlow, FallingOffTheEndReturns) {
  Bench b("setp.lt.u32 %p1, %lane, 7; @!%p1 bra END; st.global.u32 [%mine], 5; END:");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 7 ? 5 : 0; }));
}

TEST(ControlFlow, IndexedBranchSendsLanesToManyTargets) {
  Bench b(R"(
and.b32 %r1, %lane, 3;
TABLE: .branchtargets T0, T1, T2, T1;
brx.idx %r1, TABLE;
T0: mov.u32 %r2, 10; //zero
bra.uni END;
T1: mov.u32 %r2, 20; //one
bra.uni END;
T2: mov.u32 %r2, 30;
END: add.u32 %r2, %r2, %lane; //after
st.global.u32 [%mine], %r2;)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i + ((i & 3) == 0 ? 10 : (i & 3) == 2 ? 30 : 20); }));
  EXPECT_EQ(b.issued("zero"), 1u);
  EXPECT_EQ(b.issued("one"), 1u) << "two entries of the table with the same target";
  EXPECT_EQ(b.lanes("one"), 16u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(ControlFlow, GuardedIndexedBranchLetsTheOthersFallThrough) {
  Bench b(R"(
setp.lt.u32 %p1, %lane, 12; mov.u32 %r1, 0;
TABLE: .branchtargets T0;
@%p1 brx.idx %r1, TABLE;
mov.u32 %r2, 1;
bra.uni END;
T0: mov.u32 %r2, 2;
END: st.global.u32 [%mine], %r2; //after)");
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 12 ? 2 : 1; }));
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(ControlFlow, IndexedBranchBeyondTheTableIsAnError) {
  Bench b(R"(
TABLE: .branchtargets T0;
brx.idx %lane, TABLE; //jump
T0: ret;)");
  const Error e = b.run_error();
  EXPECT_EQ(e.place().line, b.line("jump"));
}

TEST(ControlFlow, SwitchInALoopMeetsOncePerTurn) {
  Bench b(R"(
mov.u32 %r3, 0; mov.u32 %r4, 0;
LOOP: add.u32 %r1, %lane, %r3; and.b32 %r1, %r1, 1;
TABLE: .branchtargets T0, T1;
brx.idx %r1, TABLE;
T0: add.u32 %r4, %r4, 1;
bra.uni NEXT;
T1: add.u32 %r4, %r4, 100;
NEXT: add.u32 %r3, %r3, 1; //turn
setp.lt.u32 %p1, %r3, 10;
@%p1 bra LOOP;
st.global.u32 [%mine], %r4;)");
  EXPECT_EQ(b.run(), expected(32, [](auto) { return 505; }));
  EXPECT_EQ(b.issued("turn"), 10u);
}

TEST(ControlFlow, LongLoopWithOneAtomicBeforeItStaysTogether) {
  // An atomic makes a loop suspect of spinning only when the loop itself contains it.
  Bench b(R"(
atom.global.add.u32 %r9, [%out], 0;
mov.u32 %r1, 0; mul.lo.u32 %r2, %lane, 40;
LOOP: add.u32 %r1, %r1, 1;
setp.le.u32 %p1, %r1, %r2;
@%p1 bra LOOP;
st.global.u32 [%mine], %r1; //after)");
  b.run();
  EXPECT_EQ(b.issued("after"), 1u);
}

}  // namespace
}  // namespace heddle::exec
