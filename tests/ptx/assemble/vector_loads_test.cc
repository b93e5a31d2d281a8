// Neighbouring loads from shared memory become one where their address is known to be aligned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/assemble/vector_loads.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

Module merged(const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 dyn[];\n"
      ".visible .entry k(.param .u64 p)\n{\n.shared .align 4 .b8 s[1024];\n"
      ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<19>; .reg .f32 %f<9>;\n"
      "mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 4; add.s32 %r4, %r2, %r3;\n" +
          body + "ret;\n}\n",
      "test.ptx");
  merge_loads(m, m.functions.at(0));
  return m;
}

// Words of each load, in order.
std::vector<unsigned> loads(const std::string& body) {
  const Module m = merged(body);
  std::vector<unsigned> n;
  for (const Instr& in : m.functions[0].instrs)
    if (in.op == Op::Ld) n.push_back(in.vector);
  return n;
}
std::string four(const std::string& base, const std::string& between = "") {
  return "ld.shared.f32 %f1, [" + base + "];\n" + between + "ld.shared.f32 %f2, [" + base +
         "+4];\nld.shared.f32 %f3, [" + base + "+8];\nld.shared.f32 %f4, [" + base + "+12];\n";
}

using testing::ElementsAre;

TEST(VectorLoads, FourWordsInOrderOfTheirAddresses) {
  const Module m = merged(
      "ld.shared.f32 %f1, [%r4+24];\nld.shared.f32 %f2, [%r4+16];\nadd.f32 %f5, %f1, %f2;\n"
      "ld.shared.f32 %f3, [%r4+28];\nld.shared.f32 %f4, [%r4+20];\n");
  const Function& f = m.functions[0];
  ASSERT_EQ(f.instrs.size(), 7u);
  const Instr& in = f.instrs[4];
  EXPECT_EQ(in.op, Op::Ld);
  EXPECT_EQ(in.vector, 4u);
  EXPECT_EQ(in.offset, 16);
  std::vector<std::string> names;
  for (unsigned i = 0; i < in.n_dst; ++i) names.push_back(f.registers[in.dst[i].index].name);
  EXPECT_THAT(names, ElementsAre("%f2", "%f4", "%f1", "%f3"));
  EXPECT_EQ(f.variables.at(0).align, 16u);  // which the address rests on
}

TEST(VectorLoads, TwoWordsWhereThereAreNoFour) {
  EXPECT_THAT(loads("ld.shared.f32 %f1, [%r4+8];\nld.shared.f32 %f2, [%r4+12];\n"), ElementsAre(2));
  EXPECT_THAT(loads("ld.shared.f32 %f1, [%r4+4];\nld.shared.f32 %f2, [%r4+8];\n"), ElementsAre(1, 1));
  EXPECT_THAT(loads("ld.shared.f32 %f1, [s+16];\nld.shared.f32 %f2, [s+20];\n"), ElementsAre(2));
  EXPECT_THAT(loads("ld.shared.u64 %rd1, [%r4];\nld.shared.u64 %rd2, [%r4+8];\n"), ElementsAre(2));
  EXPECT_THAT(loads("ld.shared.u16 %r5, [%r4];\nld.shared.u16 %r6, [%r4+2];\n"), ElementsAre(1, 1));
}

TEST(VectorLoads, OnlyWhereTheAddressIsKnownToBeAligned) {
  for (const char* address : {
           "shl.b32 %r9, %r1, 4; add.s32 %r5, %r2, %r9;\n",
           "mul.lo.s32 %r9, %r1, 48; add.s32 %r5, %r9, %r2;\n",
           "mad.lo.s32 %r5, %r1, 80, %r2;\n",
           "and.b32 %r9, %r1, -16; or.b32 %r5, %r9, 32;\n",
           "mov.u32 %r9, dyn; add.s32 %r5, %r9, 64;\n",
           "mov.u32 %r5, %r4; L: add.s32 %r5, %r5, 16; setp.lt.u32 %p1, %r5, 640; @%p1 bra L;\n",
       })
    EXPECT_THAT(loads(address + four("%r5")), ElementsAre(4)) << address;
  for (const char* address : {
           "shl.b32 %r9, %r1, 2; add.s32 %r5, %r2, %r9;\n",
           "add.s32 %r5, %r4, 4;\n",
           "mov.u32 %r5, %r4; L: add.s32 %r5, %r5, 4; setp.lt.u32 %p1, %r5, 640; @%p1 bra L;\n",
           "ld.param.u32 %r5, [p];\n",
       })
    EXPECT_THAT(loads(address + four("%r5")), testing::Not(testing::Contains(4))) << address;
}

TEST(VectorLoads, WhatComesBetweenForbidsIt) {
  for (const char* between : {"st.shared.f32 [%r9], %f1;\n", "st.f32 [%rd1], %f1;\n", "bar.sync 0;\n",
                              "atom.shared.add.u32 %r9, [%r4], 1;\n", "add.s32 %r4, %r4, 16;\n"})
    EXPECT_THAT(loads(four("%r4", between)), testing::Not(testing::Contains(4))) << between;
  // A result that was in use before.
  EXPECT_THAT(loads("ld.shared.f32 %f1, [%r4];\nadd.f32 %f5, %f2, %f1;\nld.shared.f32 %f2, [%r4+4];\n"),
              ElementsAre(1, 1));
  EXPECT_THAT(loads("ld.shared.f32 %f1, [%r4];\nld.shared.f32 %f1, [%r4+4];\n"), ElementsAre(1, 1));
  EXPECT_THAT(loads("ld.shared.u32 %r4, [%r4];\nld.shared.u32 %r5, [%r4+4];\n"), ElementsAre(1, 1));
  EXPECT_THAT(loads(four("%r4", "st.global.f32 [%rd1], %f1;\nadd.f32 %f5, %f1, %f1;\n")), ElementsAre(4));
}

TEST(VectorLoads, OtherSpacesGuardsAndVolatileAccessesStay) {
  EXPECT_THAT(loads("ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n"), ElementsAre(1, 1));
  EXPECT_THAT(loads("@%p1 ld.shared.f32 %f1, [%r4];\nld.shared.f32 %f2, [%r4+4];\n"), ElementsAre(1, 1));
  EXPECT_THAT(loads("ld.volatile.shared.f32 %f1, [%r4];\nld.shared.f32 %f2, [%r4+4];\n"), ElementsAre(1, 1));
}

TEST(VectorLoads, BranchesFindTheirTargets) {
  const Module m =
      merged(four("%r4") + "setp.gt.f32 %p1, %f1, %f2;\n@%p1 bra E;\nadd.f32 %f1, %f1, %f2;\nE:\n");
  const Function& f = m.functions[0];
  EXPECT_EQ(f.instrs.at(6).target, 8u);
  EXPECT_EQ(f.instrs.at(8).op, Op::Ret);
}

}  // namespace
}  // namespace heddle::ptx
