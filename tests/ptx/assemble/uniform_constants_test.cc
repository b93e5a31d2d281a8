// Which constants are read once for all lanes: as ptxas answers (validation/data/ptxas_constants.csv).
#include <gtest/gtest.h>

#include <string>

#include "ptx/assemble/machine_code.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

// A letter for each load from the table c: u for one of all lanes. %r1 is %tid.x, %r2 and %r3 are parameters.
std::string loads(const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 c[4096];\n"
      ".visible .entry k(.param .u64 p, .param .u32 n, .param .u32 m)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n"
      "ld.param.u64 %rd1, [p];\nld.param.u32 %r2, [n];\nld.param.u32 %r3, [m];\nmov.u32 %r1, %tid.x;\n"
      "mov.u64 %rd4, c;\nmov.u32 %r10, 0;\n" +
          body + "st.global.f32 [%rd1], %f1;\nret;\n}\n",
      "test.ptx");
  find_machine_code(m, m.functions[0]);
  std::string s;
  for (const Instr& in : m.functions[0].instrs)
    if (in.op == Op::Ld && in.space == Space::Const) s += in.one_address ? 'u' : '.';
  return s;
}

std::string at(const std::string& index) {
  return "mul.wide.u32 %rd5, " + index + ", 4;\nadd.s64 %rd6, %rd4, %rd5;\n";
}
const std::string kAdd = "ld.const.f32 %f2, [%rd6];\nadd.f32 %f1, %f1, %f2;\n";
const std::string kUp = "add.u32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, %r2;\n@%p1 bra L;\n";

TEST(UniformConstants, WithoutALoop) {
  EXPECT_EQ(loads("ld.const.f32 %f2, [c+8];\nadd.f32 %f1, %f1, %f2;\n"), "u");
  EXPECT_EQ(loads(at("%r1") + kAdd), ".");
  EXPECT_EQ(loads("mov.u32 %r6, %ctaid.x;\n" + at("%r6") + kAdd), "u");
  EXPECT_EQ(loads("mov.u32 %r6, %ctaid.x;\nmul.lo.s32 %r7, %r6, %r3;\n" + at("%r7") + kAdd), "u");
}

TEST(UniformConstants, InLoopsThatCount) {
  EXPECT_EQ(loads("L:\n" + at("%r10") + kAdd + kUp), "u");
  EXPECT_EQ(loads("mov.u32 %r10, %r3;\nL:\n" + at("%r10") + kAdd + kUp), "u");
  const std::string pointer =
      "L:\nld.const.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd4, %rd4, 4;\n";
  EXPECT_EQ(loads(pointer + kUp), "u");
  // The counter meets a constant: as an index it is in a register of lanes, beside a pointer it does not
  // matter.
  const std::string to_nine = "add.u32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, 9;\n@%p1 bra L;\n";
  EXPECT_EQ(loads("L:\n" + at("%r10") + kAdd + to_nine), ".");
  EXPECT_EQ(loads(pointer + to_nine), "u");
  EXPECT_EQ(loads("L:\n" + at("%r10") + kAdd +
                  "add.u32 %r10, %r10, %r3;\nsetp.lt.s32 %p1, %r10, %r2;\n@%p1 bra L;\n"),
            ".");
}

TEST(UniformConstants, WhatMakesTheIndex) {
  auto index = [](const std::string& code) { return loads("L:\n" + code + at("%r6") + kAdd + kUp); };
  EXPECT_EQ(index("and.b32 %r6, %r10, 7;\n"), "u");
  EXPECT_EQ(index("max.s32 %r6, %r10, 5;\n"), "u");
  EXPECT_EQ(index("rem.u32 %r6, %r10, 7;\n"), ".");
  EXPECT_EQ(index("add.s32 %r6, %r10, %r3;\n"), ".");
  EXPECT_EQ(index("mov.u32 %r7, %ctaid.x;\nadd.s32 %r6, %r10, %r7;\n"), "u");
  EXPECT_EQ(index("setp.gt.s32 %p2, %r3, %r10;\nselp.b32 %r6, %r10, %r3, %p2;\n"), ".");
}

TEST(UniformConstants, HowTheLoopEnds) {
  const std::string body =
      "L:\n" + at("%r10") + kAdd + "add.u32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, %r2;\n";
  EXPECT_EQ(loads(body + "setp.lt.u32 %p2, %r10, 99;\nand.pred %p3, %p1, %p2;\n@%p3 bra L;\n"), ".");
  EXPECT_EQ(loads("ld.global.u32 %r2, [%rd1];\n" + body + "@%p1 bra L;\n"), "u");
  EXPECT_EQ(loads("mul.wide.u32 %rd7, %r1, 4;\nadd.s64 %rd8, %rd1, %rd7;\nld.global.u32 %r2, [%rd8];\n" +
                  body + "@%p1 bra L;\n"),
            ".");
  EXPECT_EQ(
      loads("L:\n" + at("%r10") + kAdd + "setp.gt.f32 %p5, %f1, 0f40000000;\n@%p5 bra Z;\n" + kUp + "Z:\n"),
      ".");
}

TEST(UniformConstants, WhatReadsTheValue) {
  auto use = [](const std::string& code) { return loads("L:\n" + at("%r10") + code + kUp); };
  EXPECT_EQ(use("ld.const.f32 %f2, [%rd6];\nfma.rn.f32 %f1, %f1, %f2, %f2;\n"), ".");
  EXPECT_EQ(use("ld.const.f32 %f2, [%rd6];\nld.const.f32 %f3, [%rd6+4];\nfma.rn.f32 %f1, %f1, %f2, %f3;\n"),
            "..");
  EXPECT_EQ(use("ld.const.f32 %f2, [%rd6];\nld.const.f32 %f3, [%rd6+8];\nadd.f32 %f1, %f1, %f2;\nmul.f32 "
                "%f1, %f1, %f3;\n"),
            "uu");
  EXPECT_EQ(use("ld.const.f32 %f2, [%rd6];\nst.global.f32 [%rd1], %f2;\n"), ".");
}

// Those that are left when others have gone share a counter; those that wait for others are taken not to.
TEST(UniformConstants, WhereLanesHaveParted) {
  const std::string counted = "L:\n" + at("%r10") + kAdd + kUp;
  const std::string some = "setp.lt.u32 %p4, %r1, 5;\n";
  EXPECT_EQ(loads(some + "@%p4 bra S;\nret;\nS:\n" + counted), "u");
  EXPECT_EQ(loads(some + "@%p4 bra E;\nmov.u32 %r10, 0;\n" + counted + "E:\nst.global.u32 [%rd1], %r1;\n"),
            ".");
}

}  // namespace
}  // namespace heddle::ptx
