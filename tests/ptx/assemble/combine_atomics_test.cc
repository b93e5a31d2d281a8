// Atomics whose address is the same in a whole warp are sent once (tools/probes/combined_atomics.cu, by
// cuobjdump).
#include "ptx/assemble/combine_atomics.h"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

// Whether the only atomic of a kernel with parameter p in %rd1 and %tid.x in %r1 is combined.
bool combined(const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<19>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" +
          body + "ret;\n}\n",
      "test.ptx");
  combine_atomics(m, m.functions.at(0));
  for (const Instr& in : m.functions[0].instrs)
    if (in.op == Op::Atom || in.op == Op::Red) return in.combined;
  ADD_FAILURE() << "no atomic";
  return false;
}

TEST(CombineAtomics, IntegersAtOneAddress) {
  EXPECT_TRUE(combined("red.global.add.u32 [%rd1], 1;\n"));
  EXPECT_TRUE(combined("red.global.add.u32 [%rd1], %r1;\n"));
  EXPECT_TRUE(combined("atom.global.add.u32 %r3, [%rd1], %r1;\n"));
  EXPECT_TRUE(combined("red.global.max.s32 [%rd1], %r1;\n"));
  EXPECT_TRUE(combined("red.global.or.b32 [%rd1], %r1;\n"));
  EXPECT_TRUE(combined("red.global.add.u64 [%rd1], 1;\n"));
}

TEST(CombineAtomics, NotWhatLanesCannotAgreeOn) {
  EXPECT_FALSE(combined("red.global.add.f32 [%rd1], %f1;\n"));
  EXPECT_FALSE(combined("red.global.add.f64 [%rd1], %fd1;\n"));
  EXPECT_FALSE(combined("cvt.u64.u32 %rd2, %r1;\nred.global.add.u64 [%rd1], %rd2;\n"));
  EXPECT_FALSE(combined("red.global.max.u64 [%rd1], 5;\n"));
  EXPECT_FALSE(combined("atom.global.exch.b32 %r3, [%rd1], %r1;\n"));
  EXPECT_FALSE(combined("atom.global.cas.b32 %r3, [%rd1], 0, %r1;\n"));
  EXPECT_FALSE(combined("red.global.inc.u32 [%rd1], 100;\n"));
}

TEST(CombineAtomics, AddressesByCtaAreOneAndByThreadAreNot) {
  EXPECT_TRUE(
      combined("mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nred.global.add.u32 [%rd3], 1;\n"));
  EXPECT_FALSE(
      combined("mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nred.global.add.u32 [%rd3], 1;\n"));
  EXPECT_TRUE(combined(
      "setp.gt.u32 %p1, %r1, 5;\n@%p1 bra L;\nadd.s64 %rd3, %rd1, 8;\nred.global.add.u32 [%rd3], 1;\nL:\n"))
      << "those who come along have the same";
}

}  // namespace
}  // namespace heddle::ptx
