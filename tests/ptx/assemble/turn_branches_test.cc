// Loops whose turns end with a branch out and a branch back.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ptx/assemble/turn_branches.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

Function turned(const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\nmov.u32 %r1, %tid.x;\n" +
          body + "ret;\n}\n",
      "test.ptx");
  turn_branches(m.functions[0]);
  return m.functions[0];
}
const std::string kTurn = "L:\nadd.u32 %r1, %r1, 1;\nsetp.gt.u32 %p1, %r1, 99;\n";

TEST(TurnBranches, TheConditionalOneLeadsBack) {
  const Function f = turned("bra L;\nM:\nadd.u32 %r2, %r2, 1;\nbra END;\n" + kTurn +
                            "@%p1 bra N;\nbra L;\nN:\nbra M;\nEND:\n");
  // mov, bra, add, bra, add, setp, @!p1 bra L; the branch to what follows it is gone.
  ASSERT_EQ(f.instrs.size(), 9u);
  const Instr& back = f.instrs[6];
  EXPECT_EQ(back.op, Op::Bra);
  EXPECT_TRUE(back.guard.negated);
  EXPECT_EQ(back.target, 4u);
  EXPECT_EQ(f.instrs[7].target, 2u);
}

TEST(TurnBranches, TheOtherOneLeadsOut) {
  const Function f = turned(
      kTurn + "@!%p1 bra N;\nbra L;\nM:\nadd.u32 %r2, %r2, 1;\nN:\nadd.u32 %r2, %r2, 2;\n@%p2 bra M;\n");
  EXPECT_EQ(f.instrs[3].target, 1u);
  EXPECT_EQ(f.instrs[2].cmp, Cmp::Le);
  EXPECT_TRUE(f.instrs[3].guard.negated);
  EXPECT_EQ(f.instrs[4].op, Op::Bra);
  EXPECT_EQ(f.instrs[4].target, 6u);
  EXPECT_EQ(f.instrs[4].guard.kind, Operand::Kind::None);
}

// To the end of an outer loop's turn, which the compiler has put before.
TEST(TurnBranches, OutMayBeBeforeTheLoop) {
  const Function f =
      turned("bra L;\nN:\nadd.u32 %r2, %r2, 1;\n@%p3 bra END;\n" + kTurn + "@%p1 bra N;\nbra L;\nEND:\n");
  EXPECT_EQ(f.instrs[5].cmp, Cmp::Le);
  EXPECT_FALSE(f.instrs[6].guard.negated);
  EXPECT_EQ(f.instrs[6].target, 4u);
  EXPECT_EQ(f.instrs[7].target, 2u);
}

TEST(TurnBranches, APredicateThatOthersReadKeepsItsMeaning) {
  const Function f = turned("bra L;\nN:\nadd.u32 %r2, %r2, 1;\n@%p3 bra END;\n" + kTurn +
                            "@%p1 bra N;\nbra L;\nEND:\n@%p1 mov.u32 %r3, %r2;\n");
  EXPECT_EQ(f.instrs[5].cmp, Cmp::Gt);
  EXPECT_TRUE(f.instrs[6].guard.negated);
}

TEST(TurnBranches, NotWhereOthersComeToTheBranchBack) {
  const Function f = turned(kTurn + "@%p1 bra N;\nB:\nbra L;\nN:\n@%p2 bra B;\n");
  EXPECT_EQ(f.instrs[3].target, 5u);
  EXPECT_EQ(f.instrs[4].target, 1u);
}

TEST(TurnBranches, NotForwardOnes) {
  const Function f = turned("@%p1 bra M;\nbra N;\nM:\nadd.u32 %r2, %r2, 1;\nN:\n");
  EXPECT_EQ(f.instrs[1].target, 3u);
  EXPECT_FALSE(f.instrs[1].guard.negated);
}

}  // namespace
}  // namespace heddle::ptx
