// Which loops are unrolled, and what becomes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "ptx/analysis/control_flow.h"
#include "ptx/assemble/unroll.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

Module kernel(const std::string& body) {
  return parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<9>; .reg .f32 %f<9>;\n" +
          body + "st.global.f32 [%rd2], %f1;\nret;\n}\n",
      "test.ptx");
}

const std::string kLoad =
    "ld.global.f32 %f2, [%rd1];\nfma.rn.f32 %f1, %f2, %f2, %f1;\nadd.s64 %rd1, %rd1, 4;\n";
const std::string kCount = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra L;\n";

unsigned count(const Function& f, Op op) {
  return static_cast<unsigned>(
      std::count_if(f.instrs.begin(), f.instrs.end(), [&](const Instr& in) { return in.op == op; }));
}
bool unrolled(const std::string& body) {
  Module m = kernel(body);
  return unroll_loops(m, m.functions[0]);
}

TEST(Unroll, FourBodiesThenTwoThenTheLoopAsItWas) {
  Module m = kernel("L:\n" + kLoad + kCount);
  Function& f = m.functions[0];
  ASSERT_TRUE(unroll_loops(m, f));
  EXPECT_EQ(count(f, Op::Fma), 7u);
  EXPECT_EQ(count(f, Op::Bra), 5u);
  // The loop of four: one test, one addition for the pointer and one for the counter.
  const ControlFlow cf = build_control_flow(f);
  const Block* four = nullptr;
  for (const Block& b : cf.blocks)
    if (four == nullptr && f.instrs[b.end - 1].op == Op::Bra && f.instrs[b.end - 1].target == b.first)
      four = &b;
  ASSERT_NE(four, nullptr);
  EXPECT_EQ(four->end - four->first, 12u);
  std::vector<std::int64_t> offsets;
  for (std::uint32_t i = four->first; i < four->end; ++i)
    if (f.instrs[i].op == Op::Ld) offsets.push_back(f.instrs[i].offset);
  EXPECT_THAT(offsets, testing::ElementsAre(0, 4, 8, 12));
}

// Lanes that do not run the four rounds wait for the others before the two, and before the rest.
TEST(Unroll, LanesMeetBetweenTheParts) {
  Module m = kernel("L:\n" + kLoad + kCount);
  Function& f = m.functions[0];
  ASSERT_TRUE(unroll_loops(m, f));
  const ControlFlow cf = build_control_flow(f);
  std::vector<std::uint32_t> meet;
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b)
    if (f.instrs[cf.blocks[b].end - 1].op == Op::Bra) meet.push_back(cf.reconvergence(b));
  ASSERT_EQ(meet.size(), 5u);
  EXPECT_LT(meet[0], meet[2]);  // ahead of the two rounds
  EXPECT_LT(meet[2], meet[3]);  // ahead of the rest
  EXPECT_EQ(f.instrs[meet[3]].op, Op::St);
  EXPECT_EQ(f.instrs[meet[4]].op, Op::St);
}

TEST(Unroll, CountersOfManyKinds) {
  for (const char* count : {
           "add.s32 %r1, %r1, -4; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;\n",
           "add.s32 %r1, %r1, 3; setp.ne.s32 %p1, %r1, %r2; @%p1 bra L;\n",
           "add.u32 %r1, %r1, 1; setp.lo.u32 %p1, %r1, %r2; @%p1 bra L;\n",
           "add.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r2, %r1; @%p1 bra L;\n",
           "add.s32 %r1, %r1, 3; setp.ne.s32 %p1, %r2, %r1; @%p1 bra L;\n",
           "add.s32 %r3, %r1, 1; setp.le.s32 %p1, %r3, %r2; mov.u32 %r1, %r3; @%p1 bra L;\n",
           "add.s64 %rd3, %rd3, -1; setp.gt.s64 %p1, %rd3, %rd4; @%p1 bra L;\n",
       })
    EXPECT_TRUE(unrolled("L:\n" + kLoad + count)) << count;
}

TEST(Unroll, LoopsThatAreNotCounted) {
  for (const char* count : {
           "add.s32 %r1, %r1, %r3; setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;\n",  // the step is not known
           "shl.b32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;\n",    // not a sum
           "add.s32 %r1, %r1, 1; setp.eq.s32 %p1, %r1, %r2; @%p1 bra L;\n",    // one value to go on with
           "add.s32 %r1, %r1, -1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;\n",   // away from the bound
           "setp.lt.s32 %p1, %r1, %r2; add.s32 %r1, %r1, 1; @%p1 bra L;\n",    // tests the old value
           "ld.global.u32 %r2, [%rd2]; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;\n",
           "add.s32 %r1, %r1, 1; setp.lt.f32 %p1, %f1, %f2; @%p1 bra L;\n",
           "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra M; bra L; M:\n",
           "@%p2 add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;\n",
           // ptxas leaves them, although they are counted.
           "add.s32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, 77; @!%p1 bra L;\n",
           "add.s32 %r1, %r1, 1; setp.lt.and.s32 %p1, %r1, %r2, %p2; @%p1 bra L;\n",
       })
    EXPECT_FALSE(unrolled("L:\n" + kLoad + count)) << count;
}

// ptxas_blocks.csv.
TEST(Unroll, ABoundThatIsNegatedStandsSecond) {
  const std::string start =
      "add.s32 %r3, %r2, 3; neg.s32 %r4, %r3; mov.u32 %r1, 0;\nL:\n" + std::string(kLoad);
  EXPECT_TRUE(unrolled(start + "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, %r4; @%p1 bra L;\n"));
  EXPECT_FALSE(unrolled(start + "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r4, %r1; @%p1 bra L;\n"));
}

TEST(Unroll, BodiesThatAreLeftAlone) {
  for (const char* more :
       {"membar.gl;\n", "div.rn.f32 %f3, %f2, %f1;\n", "mov.u32 %r9, %clock;\n", ".pragma \"nounroll\";\n"})
    EXPECT_FALSE(unrolled("L:\n" + std::string(more) + kLoad + kCount)) << more;
  // A pragma belongs to the loop that it is in.
  EXPECT_TRUE(
      unrolled("M: .pragma \"nounroll\";\nadd.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9; @%p1 bra M;\nL:\n" +
               kLoad + kCount));
}

// Lanes that make more rounds than others would meet them in another copy.
TEST(Unroll, WhatWantsOtherThreadsOnlyWhereAllGoTheSameWay) {
  for (const char* more :
       {"bar.sync 0;\n", "red.global.add.u32 [%rd2], 1;\n", "atom.global.add.u32 %r9, [%rd2], 1;\n",
        "shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1;\n", "vote.sync.any.pred %p3, %p4, -1;\n",
        "activemask.b32 %r9;\n"}) {
    EXPECT_TRUE(unrolled("mov.u32 %r1, 0; mov.u32 %r2, %ctaid.x;\nL:\n" + std::string(more) + kLoad + kCount))
        << more;
    EXPECT_FALSE(unrolled("mov.u32 %r1, 0; mov.u32 %r2, %tid.x;\nL:\n" + std::string(more) + kLoad + kCount))
        << more;
  }
  EXPECT_TRUE(unrolled("mov.u32 %r2, %tid.x;\nL:\nld.volatile.global.u32 %r9, [%rd2];\n" + kLoad + kCount));
}

std::string repeated(int n, const std::string& text) {
  std::string s;
  for (int i = 0; i < n; ++i) s += text;
  return s;
}
const std::string kFma = "fma.rn.f32 %f1, %f1, %f1, %f1;\n";

TEST(Unroll, BodiesUpToFiftyInstructions) {
  // With the load (2), one fma, two additions, the test and the branch: 50.
  EXPECT_TRUE(unrolled("L:\n" + kLoad + repeated(43, kFma) + kCount));
  EXPECT_FALSE(unrolled("L:\n" + kLoad + repeated(44, kFma) + kCount));
  // What was a branch counts once; an atomic as ten; moves as none.
  const std::string guarded = "setp.gt.f32 %p2, %f2, %f1;\n@%p2 add.u32 %r7, %r7, 1;\n";
  EXPECT_TRUE(unrolled("L:\n" + kLoad + guarded + "mov.b32 %r8, %f1;\n" + repeated(40, kFma) + kCount));
  EXPECT_FALSE(unrolled("L:\n" + kLoad + guarded + repeated(41, kFma) + kCount));
  const std::string atomic = "red.global.add.u32 [%rd2], 1;\n";
  EXPECT_TRUE(unrolled("L:\n" + kLoad + atomic + repeated(33, kFma) + kCount));
  EXPECT_FALSE(unrolled("L:\n" + kLoad + atomic + repeated(34, kFma) + kCount));
}

TEST(Unroll, FewerWithoutALoadFromGlobalMemory) {
  EXPECT_TRUE(unrolled("L:\n" + repeated(18, kFma) + kCount));
  EXPECT_FALSE(unrolled("L:\n" + repeated(19, kFma) + kCount));
  const std::string shared = "ld.shared.f32 %f2, [%r9];\n";
  EXPECT_TRUE(unrolled("L:\n" + shared + repeated(21, kFma) + kCount));
  EXPECT_FALSE(unrolled("L:\n" + shared + repeated(22, kFma) + kCount));
}

// What is written under a guard keeps its register, as lanes without the guard keep the old value.
TEST(Unroll, GuardedWritesKeepTheirRegister) {
  Module m = kernel("L:\n" + kLoad + "setp.gt.f32 %p2, %f2, %f1;\n@%p2 add.u32 %r7, %r7, 1;\n" + kCount);
  Function& f = m.functions[0];
  ASSERT_TRUE(unroll_loops(m, f));
  unsigned guarded = 0;
  for (const Instr& in : f.instrs)
    if (in.op == Op::Add && in.guard.kind == Operand::Kind::Pred) {
      ++guarded;
      EXPECT_EQ(f.registers[in.dst[0].index].name, "%r7");
    }
  EXPECT_EQ(guarded, 7u);
}

// A value that is new in each round, and changed under a guard: each copy has its own.
TEST(Unroll, ValuesOfARoundHaveRegistersOfTheirOwn) {
  Module m =
      kernel("L:\n" + kLoad + "setp.gt.f32 %p2, %f2, %f1;\nmov.u32 %r7, 5;\n@%p2 add.u32 %r7, %r7, 1;\n" +
             "add.u32 %r8, %r8, %r7;\n" + kCount);
  Function& f = m.functions[0];
  ASSERT_TRUE(unroll_loops(m, f));
  std::set<std::uint32_t> changed;
  for (const Instr& in : f.instrs)
    if (in.guard.kind == Operand::Kind::Pred && in.op == Op::Add) changed.insert(in.dst[0].index);
  EXPECT_EQ(changed.size(), 5u);  // three of the four, one of the two, and %r7
}

TEST(Unroll, BranchesFromElsewhereLeadToTheStart) {
  Module m = kernel("setp.eq.u32 %p5, %r9, 0;\n@%p5 bra L;\nadd.u32 %r9, %r9, 1;\nL:\n" + kLoad + kCount +
                    "setp.eq.u32 %p6, %r9, 1;\n@%p6 bra L;\n@%p5 bra E;\nadd.u32 %r9, %r9, 2;\nE:\n");
  Function& f = m.functions[0];
  ASSERT_TRUE(unroll_loops(m, f));
  EXPECT_EQ(f.instrs[1].target, 3u);
  const auto n = static_cast<std::uint32_t>(f.instrs.size());
  EXPECT_EQ(f.instrs[n - 5].target, 3u);
  EXPECT_EQ(f.instrs[n - 4].target, n - 2);
}

}  // namespace
}  // namespace heddle::ptx
