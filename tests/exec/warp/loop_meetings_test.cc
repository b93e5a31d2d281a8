// Lanes that stay in a loop meet in it, whoever leaves it meanwhile: as the vendor's assembler lets them.
#include "bench.h"

namespace heddle::exec {
namespace {

Case assembled() {
  Case c;
  c.options.code_order = CodeOrder::AsAssembled;
  return c;
}

// Every fourth lane skips the middle of each turn; lane i leaves from the middle in turn i / 2 + 2.
constexpr const char* kContinueAndBreak = R"(
.pragma "nounroll";
mov.u32 %r1, 0; mov.u32 %r2, 0; and.b32 %r4, %lane, 3; shr.u32 %r5, %lane, 1; add.u32 %r5, %r5, 2;
setp.eq.u32 %p1, %r4, 0;
LOOP: add.u32 %r2, %r2, 1;
@%p1 bra NEXT;
add.u32 %r1, %r1, %r2; //middle
setp.eq.u32 %p2, %r2, %r5;
@%p2 bra OUT;
mul.lo.u32 %r1, %r1, 3;
NEXT: xor.b32 %r1, %r1, %lane; //next
setp.lt.u32 %p3, %r2, 20;
@%p3 bra LOOP;
OUT: add.u32 %r1, %r1, 7; //after
st.global.u32 [%mine], %r1;)";

std::uint32_t continue_and_break(std::uint32_t lane) {
  std::uint32_t a = 0, turn = 0;
  do {
    ++turn;
    if (lane % 4 != 0) {
      a += turn;
      if (turn == lane / 2 + 2) break;
      a *= 3;
    }
    a ^= lane;
  } while (turn < 20);
  return a + 7;
}

TEST(LoopMeetings, ContinueAndBreak) {
  Bench b(kContinueAndBreak, assembled());
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return continue_and_break(i); }));
  EXPECT_EQ(b.issued("next"), 20u);  // once per turn, for all who are still there
  EXPECT_EQ(b.issued("middle"), 17u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(LoopMeetings, PostDominatorsAloneKeepThemApart) {
  Bench b(kContinueAndBreak);
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return continue_and_break(i); }));
  EXPECT_GT(b.issued("next"), 30u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(LoopMeetings, LeavingByNotJumping) {
  // `continue` goes straight to the header; who does not jump back at the end leaves, once with no lane active.
  Bench b(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0; and.b32 %r4, %lane, 1; setp.eq.u32 %p1, %r4, 0;
LOOP: add.u32 %r2, %r2, 1; //header
setp.ge.u32 %p4, %r2, 12; @%p4 bra OUT;
@%p1 bra LOOP;
add.u32 %r1, %r1, %r2;
setp.lt.u32 %p3, %r2, %r5;
@%p3 bra LOOP;
OUT: add.u32 %r1, %r1, 1; //after
st.global.u32 [%mine], %r1;)",
          assembled());
  EXPECT_EQ(b.run(), expected(32, [](std::uint32_t lane) {
              if (lane % 2 == 0) return 1u;
              return 2u;
            }));
  EXPECT_EQ(b.issued("header"), 12u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(LoopMeetings, OutOfTwoLoops) {
  // Lane i leaves both loops in turn i of the inner ones; odd lanes skip a part of it.
  Bench b(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r6, 0; and.b32 %r4, %lane, 1; setp.eq.u32 %p1, %r4, 1;
OUTER: mov.u32 %r3, 0;
INNER: add.u32 %r6, %r6, 1;
@%p1 bra SKIP;
setp.gt.u32 %p2, %r6, %lane;
@%p2 bra OUT;
add.u32 %r1, %r1, %r3;
SKIP: add.u32 %r3, %r3, 1; //inner
setp.lt.u32 %p3, %r3, 5;
@%p3 bra INNER;
add.u32 %r2, %r2, 1; //outer
setp.lt.u32 %p3, %r2, 4;
@%p3 bra OUTER;
OUT: mad.lo.u32 %r1, %r6, 1000, %r1; //after
st.global.u32 [%mine], %r1;)",
          assembled());
  EXPECT_EQ(b.run(), expected(32, [](std::uint32_t lane) {
              std::uint32_t a = 0, turns = 0;
              for (int o = 0; o < 4; ++o)
                for (std::uint32_t i = 0; i < 5; ++i) {
                  ++turns;
                  if (lane % 2 == 1) continue;
                  if (turns > lane) return turns * 1000 + a;
                  a += i;
                }
              return turns * 1000 + a;
            }));
  EXPECT_EQ(b.issued("inner"), 20u);
  EXPECT_EQ(b.issued("outer"), 4u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(LoopMeetings, SwitchWithABreakOutOfTheLoop) {
  Bench b(R"(
mov.u32 %r1, 0; mov.u32 %r2, 0;
LOOP: add.u32 %r3, %lane, %r2; and.b32 %r3, %r3, 3;
T: .branchtargets A, B, C, D;
brx.idx %r3, T;
A: add.u32 %r1, %r1, 1; bra.uni NEXT;
B: add.u32 %r1, %r1, 10; bra.uni NEXT;
C: setp.ge.u32 %p1, %r2, 6; @%p1 bra OUT; add.u32 %r1, %r1, 100; bra.uni NEXT;
D: xor.b32 %r1, %r1, 5;
NEXT: add.u32 %r2, %r2, 1; //next
setp.lt.u32 %p2, %r2, 9;
@%p2 bra LOOP;
OUT: st.global.u32 [%mine], %r1; //after)",
          assembled());
  EXPECT_EQ(b.run(), expected(32, [](std::uint32_t lane) {
              std::uint32_t a = 0;
              for (std::uint32_t k = 0; k < 9; ++k) {
                const std::uint32_t way = (lane + k) % 4;
                if (way == 2 && k >= 6) break;
                a = way == 0 ? a + 1 : way == 1 ? a + 10 : way == 2 ? a + 100 : a ^ 5;
              }
              return a;
            }));
  EXPECT_EQ(b.issued("next"), 9u);
  EXPECT_EQ(b.issued("after"), 1u);
}

}  // namespace
}  // namespace heddle::exec
