// Which branches become guards, and what becomes of the code behind them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ptx/assemble/predicate_branches.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

// %p1 differs between threads, %p2 does not.
Module module_of(const std::string& body) {
  return parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
      "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;\n"
      "mov.u32 %r2, %ctaid.x;\nsetp.gt.u32 %p2, %r2, 5;\n" +
          body + "st.global.f32 [%rd2], %f1;\nret;\n}\n",
      "test.ptx");
}

std::string times(int n, const std::string& text) {
  std::string s;
  for (int i = 0; i < n; ++i) s += text;
  return s;
}
const std::string kFma = "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
const std::string kLoad = "ld.global.f32 %f2, [%rd1];\n";
std::string if_not(const std::string& code, const std::string& p = "%p1") {
  return "@" + p + " bra L;\n" + code + "L:\n";
}
std::string either(const std::string& code, const std::string& more) {
  return "@%p1 bra L;\n" + code + "bra M;\nL:\n" + more + "M:\n";
}

unsigned branches(const Function& f) {
  return static_cast<unsigned>(
      std::count_if(f.instrs.begin(), f.instrs.end(), [](const Instr& in) { return in.op == Op::Bra; }));
}
bool predicated(const std::string& body) {
  Module m = module_of(body);
  return predicate_branches(m, m.functions[0]) && branches(m.functions[0]) == 0;
}

TEST(PredicateBranches, GuardsInPlaceOfTheBranch) {
  Module m = module_of(if_not("add.f32 %f3, %f1, %f1;\nmul.f32 %f1, %f3, %f3;\n"));
  Function& f = m.functions[0];
  ASSERT_TRUE(predicate_branches(m, f));
  ASSERT_EQ(f.instrs.size(), 8u);
  for (const std::size_t i : {4, 5}) {
    EXPECT_EQ(f.instrs[i].guard.kind, Operand::Kind::Pred);
    EXPECT_TRUE(f.instrs[i].guard.negated);
  }
  EXPECT_TRUE(f.instrs[4].fresh);   // %f3: read under the guard only
  EXPECT_FALSE(f.instrs[5].fresh);  // %f1: others have the old one
}

TEST(PredicateBranches, BothBodiesOfAChoice) {
  Module m = module_of(either("mov.f32 %f1, 0f00000000;\n", "add.f32 %f1, %f2, %f2;\n"));
  Function& f = m.functions[0];
  ASSERT_TRUE(predicate_branches(m, f));
  ASSERT_EQ(f.instrs.size(), 8u);
  EXPECT_TRUE(f.instrs[4].guard.negated);
  EXPECT_TRUE(f.instrs[4].fresh);  // the others write it next
  EXPECT_FALSE(f.instrs[5].guard.negated);
  EXPECT_FALSE(f.instrs[5].fresh);
}

TEST(PredicateBranches, AJumpOverAJump) {
  EXPECT_TRUE(predicated("@%p1 bra L;\nbra.uni K;\nL:\n" + kFma + "bra.uni M;\nK:\n" + kFma + kFma + "M:\n"));
}

TEST(PredicateBranches, UpToEightInstructionsOrTwentyWithALoad) {
  EXPECT_TRUE(predicated(if_not(times(8, kFma))));
  EXPECT_FALSE(predicated(if_not(times(9, kFma))));
  EXPECT_TRUE(predicated(if_not(kLoad + times(19, kFma))));
  EXPECT_FALSE(predicated(if_not(kLoad + times(20, kFma))));
  EXPECT_FALSE(predicated(if_not("ld.shared.f32 %f2, [%r3];\n" + times(8, kFma))));
  EXPECT_TRUE(predicated(if_not("mov.u32 %r3, 1;\n" + times(8, kFma))));
}

TEST(PredicateBranches, SixWhereAllThreadsGoTheSameWay) {
  EXPECT_TRUE(predicated(if_not(times(6, kFma), "%p2")));
  EXPECT_FALSE(predicated(if_not(times(7, kFma), "%p2")));
}

TEST(PredicateBranches, TheBranchBetweenTwoBodiesCounts) {
  EXPECT_TRUE(predicated(either(times(7, kFma), times(8, kFma))));
  EXPECT_FALSE(predicated(either(times(8, kFma), kFma)));
  EXPECT_FALSE(predicated(either(kFma, times(9, kFma))));
}

TEST(PredicateBranches, BodiesThatKeepTheirBranch) {
  for (const char* code :
       {"bar.sync 0;\n", "red.global.add.u32 [%rd2], 1;\n", "atom.shared.add.u32 %r9, [%r3], 1;\n",
        "shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1;\n", "activemask.b32 %r9;\n", "div.rn.f32 %f1, %f1, %f2;\n",
        "ld.volatile.global.f32 %f1, [%rd2];\n", "ret;\n", "@%p3 add.f32 %f1, %f1, %f1;\n",
        "setp.gt.f32 %p1, %f1, %f2;\n", "add.cc.u32 %r4, %r4, %r5;\n"})
    EXPECT_FALSE(predicated(if_not(code))) << code;
}

// Code that others jump into, and a loop.
TEST(PredicateBranches, OnlyCodeThatIsReachedFromTheBranchAlone) {
  EXPECT_FALSE(
      predicated("@%p2 bra K;\n" + kFma + kFma + times(9, kFma) + "@%p1 bra L;\nK:\n" + kFma + "L:\n"));
  EXPECT_FALSE(predicated("L:\n" + kFma + "@%p1 bra L;\n"));
}

TEST(PredicateBranches, NotWhatTheFunctionEndsBehind) {
  EXPECT_FALSE(predicated("@%p1 bra L;\n" + kFma + "st.global.f32 [%rd3], %f1;\nL:\nret;\n"));
}

TEST(PredicateBranches, OfNestedOnesTheInnermost) {
  Module m = module_of("@%p1 bra L;\n" + kFma + "setp.gt.f32 %p3, %f1, %f2;\n@%p3 bra K;\n" + kFma + "K:\n" +
                       kFma + "L:\n");
  ASSERT_TRUE(predicate_branches(m, m.functions[0]));
  EXPECT_EQ(branches(m.functions[0]), 1u);
}

}  // namespace
}  // namespace heddle::ptx
