// Which branches become one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ptx/assemble/merge_branches.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

Function merged(const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
      "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;\n" +
          body + "st.global.u32 [%rd2], %r2;\nL:\nst.global.u32 [%rd1], %r3;\nret;\n}\n",
      "test.ptx");
  merge_branches(m.functions[0]);
  return m.functions[0];
}
unsigned branches(const std::string& body) {
  const Function f = merged(body);
  return static_cast<unsigned>(
      std::count_if(f.instrs.begin(), f.instrs.end(), [](const Instr& in) { return in.op == Op::Bra; }));
}
const std::string kTest = "add.u32 %r4, %r1, 1;\nsetp.lt.u32 %p2, %r4, 3;\n";

TEST(MergeBranches, EitherConditionAtTheSecond) {
  const Function f = merged("@%p1 bra L;\n" + kTest + "@%p2 bra L;\n");
  ASSERT_EQ(f.instrs.size(), 9u);
  EXPECT_EQ(f.instrs[2].op, Op::Add);
  EXPECT_EQ(f.instrs[3].op, Op::Setp);
  const Instr &condition = f.instrs[4], &branch = f.instrs[5];
  EXPECT_EQ(condition.op, Op::Or);
  EXPECT_EQ(condition.type, Type::Pred);
  EXPECT_EQ(f.registers[condition.src[0].index].name, "%p1");
  EXPECT_EQ(f.registers[condition.src[1].index].name, "%p2");
  EXPECT_EQ(branch.op, Op::Bra);
  EXPECT_EQ(branch.guard.index, condition.dst[0].index);
  EXPECT_FALSE(branch.guard.negated);
}

TEST(MergeBranches, WhatBothDeny) {
  const Function f = merged("@!%p1 bra L;\n" + kTest + "@!%p2 bra L;\n");
  EXPECT_EQ(f.instrs[4].op, Op::And);
  EXPECT_FALSE(f.instrs[4].src[0].negated);
  EXPECT_TRUE(f.instrs[5].guard.negated);
  EXPECT_EQ(branches("@!%p1 bra L;\n" + kTest + "@%p2 bra L;\n"), 2u);
}

TEST(MergeBranches, Three) {
  EXPECT_EQ(branches("@%p1 bra L;\n" + kTest + "@%p2 bra L;\nsetp.eq.u32 %p3, %r1, 9;\n@%p3 bra L;\n"), 1u);
}

TEST(MergeBranches, NotOverWhatOthersMustNotDo) {
  EXPECT_EQ(branches("@%p1 bra L;\nld.global.u32 %r4, [%rd1];\n" + kTest + "@%p2 bra L;\n"), 2u);
  EXPECT_EQ(branches("@%p1 bra L;\nst.global.u32 [%rd1], %r1;\n" + kTest + "@%p2 bra L;\n"), 2u);
  EXPECT_EQ(branches("@%p1 bra L;\nbar.sync 0;\n" + kTest + "@%p2 bra L;\n"), 2u);
  // What is read at the target.
  EXPECT_EQ(branches("@%p1 bra L;\nmov.u32 %r3, 7;\n" + kTest + "@%p2 bra L;\n"), 2u);
  EXPECT_EQ(branches("@%p1 bra L;\nmov.u32 %r2, 7;\n" + kTest + "@%p2 bra L;\n"), 1u);
  // The first condition itself.
  EXPECT_EQ(branches("@%p1 bra L;\nsetp.lt.u32 %p1, %r1, 3;\n@%p1 bra L;\n"), 2u);
  // Somebody comes to what is between.
  EXPECT_EQ(branches("@%p1 bra L;\nM:\n" + kTest + "@%p2 bra L;\nsetp.eq.u32 %p3, %r4, 9;\n@%p3 bra M;\n"),
            3u);
  std::string much;
  for (int i = 0; i < 9; ++i) much += "add.u32 %r4, %r4, %r1;\n";
  EXPECT_EQ(branches("@%p1 bra L;\n" + much + kTest + "@%p2 bra L;\n"), 2u);
}

}  // namespace
}  // namespace heddle::ptx
