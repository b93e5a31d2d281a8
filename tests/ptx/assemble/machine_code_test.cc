// What one machine instruction does together, which divisors vary, which branches have their lanes joined.
#include <gtest/gtest.h>

#include <string>

#include "ptx/assemble/machine_code.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

// %r1 is %tid.x, %r2 to %r5 are words of memory.
Function machine_code_of(const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n"
      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];\nld.global.u64 %rd2, [%rd1];\nld.global.u64 %rd3, "
      "[%rd1];\nld.global.v2.f32 {%f1, %f2}, [%rd1];\n" +
          body + "ret;\n}\n",
      "test.ptx");
  find_machine_code(m, m.functions[0]);
  return m.functions[0];
}

constexpr std::size_t kBefore = 6;  // instructions before the body

// A letter for each instruction of the body: what it is part of others, or itself.
std::string folded(const std::string& body) {
  const Function f = machine_code_of(body);
  std::string s;
  for (std::size_t i = kBefore; i + 1 < f.instrs.size(); ++i) s += f.instrs[i].folded ? 'f' : '.';
  return s;
}
const std::string kKeep = "st.global.u32 [%rd1], %r9;\n";

TEST(FoldOperations, LogicOfThreeValues) {
  EXPECT_EQ(folded("and.b32 %r6, %r2, %r3;\nor.b32 %r9, %r6, %r4;\n" + kKeep), "f..");
  EXPECT_EQ(folded("xor.b32 %r6, %r2, %r3;\nnot.b32 %r7, %r6;\nand.b32 %r9, %r7, %r4;\n" + kKeep), "ff..");
  // (a & b) | (a & c) reads three values, (a & b) | (c & d) four.
  EXPECT_EQ(folded("and.b32 %r6, %r2, %r3;\nand.b32 %r7, %r2, %r4;\nor.b32 %r9, %r6, %r7;\n" + kKeep),
            "ff..");
  EXPECT_EQ(folded("and.b32 %r6, %r2, %r3;\nand.b32 %r7, %r4, %r5;\nor.b32 %r9, %r6, %r7;\n" + kKeep),
            "f...");
  // One constant.
  EXPECT_EQ(folded("and.b32 %r6, %r2, 15;\nor.b32 %r9, %r6, 64;\n" + kKeep), "...");
  // Read twice.
  EXPECT_EQ(folded("and.b32 %r6, %r2, %r3;\nor.b32 %r9, %r6, %r4;\nadd.u32 %r9, %r9, %r6;\n" + kKeep),
            "....");
  // Another value of the same register.
  EXPECT_EQ(folded("and.b32 %r6, %r2, %r3;\nor.b32 %r6, %r6, %r4;\nmov.u32 %r9, %r6;\n" + kKeep), "f...");
  // Halves of 64 bits.
  EXPECT_EQ(folded("and.b64 %rd4, %rd2, %rd3;\nor.b64 %rd5, %rd4, %rd1;\nst.global.u64 [%rd1], %rd5;\n"),
            "f..");
}

TEST(FoldOperations, SumsOfThreeAndShiftedOnes) {
  EXPECT_EQ(folded("add.u32 %r6, %r2, %r3;\nsub.u32 %r9, %r6, %r4;\n" + kKeep), "f..");
  EXPECT_EQ(folded("add.u32 %r6, %r2, %r3;\nadd.u32 %r7, %r6, %r4;\nadd.u32 %r9, %r7, %r5;\n" + kKeep),
            "f...");
  // x + b + c + b are four.
  EXPECT_EQ(folded("add.u32 %r6, %r2, %r3;\nadd.u32 %r6, %r6, %r4;\nadd.u32 %r9, %r6, %r3;\n" + kKeep),
            "f...");
  EXPECT_EQ(folded("shl.b32 %r6, %r2, 3;\nadd.u32 %r9, %r6, %r4;\n" + kKeep), "f..");
  EXPECT_EQ(folded("shl.b32 %r6, %r2, %r3;\nadd.u32 %r9, %r6, %r4;\n" + kKeep), "...");
  // LEA adds two.
  EXPECT_EQ(folded("shl.b32 %r6, %r2, 3;\nadd.u32 %r7, %r6, %r4;\nadd.u32 %r9, %r7, %r5;\n" + kKeep), "f...");
  EXPECT_EQ(folded("shl.b64 %rd4, %rd2, 2;\nadd.s64 %rd5, %rd4, %rd1;\nst.global.u32 [%rd5], %r2;\n"), "f..");
}

TEST(FoldOperations, SignsOfOperands) {
  const std::string keep = "st.global.f32 [%rd1], %f5;\n";
  EXPECT_EQ(folded("neg.f32 %f3, %f1;\nfma.rn.f32 %f5, %f3, %f2, %f3;\n" + keep), "f..");
  EXPECT_EQ(folded("abs.f32 %f5, %f1;\n" + keep), "..");
}

TEST(FoldOperations, ProductsThatAreAdded) {
  const std::string keep = "st.global.f32 [%rd1], %f5;\n";
  EXPECT_EQ(folded("mul.f32 %f3, %f1, %f2;\nsub.f32 %f5, %f3, %f1;\n" + keep), "f..");
  EXPECT_EQ(folded("mul.rn.f32 %f3, %f1, %f2;\nsub.f32 %f5, %f3, %f1;\n" + keep), "...");
}

// Words: what is subtracted is multiplied by the constant's negative, which only a constant has.
TEST(FoldOperations, ProductsOfWordsThatAreAdded) {
  EXPECT_EQ(folded("mul.lo.u32 %r6, %r2, %r3;\nadd.u32 %r9, %r6, %r4;\n" + kKeep), "f..");
  EXPECT_EQ(folded("mul.lo.u32 %r6, %r2, %r3;\nsub.u32 %r9, %r6, %r4;\n" + kKeep), "f..");
  EXPECT_EQ(folded("mul.lo.u32 %r6, %r2, 12;\nsub.u32 %r9, %r4, %r6;\n" + kKeep), "f..");
  EXPECT_EQ(folded("mul.lo.u32 %r6, %r2, %r3;\nsub.u32 %r9, %r4, %r6;\n" + kKeep), "...");
  EXPECT_EQ(folded("mul.lo.u32 %r6, %r2, 12;\nneg.s32 %r9, %r6;\n" + kKeep), "f..");
  EXPECT_EQ(folded("mul.hi.u32 %r6, %r2, %r3;\nadd.u32 %r9, %r6, %r4;\n" + kKeep), "...");
}

TEST(FoldOperations, PredicatesOfComparisons) {
  const std::string keep = "selp.u32 %r9, 1, 0, %p3;\n" + kKeep;
  EXPECT_EQ(folded("setp.lt.u32 %p1, %r2, %r3;\nsetp.gt.u32 %p2, %r4, 3;\nand.pred %p3, %p1, %p2;\n" + keep),
            "..f..");
  EXPECT_EQ(folded("and.b32 %r6, %r2, 1;\nsetp.eq.s32 %p3, %r6, 0;\n" + keep), "f...");
  EXPECT_EQ(folded("and.b32 %r6, %r2, 1;\nsetp.eq.s32 %p3, %r6, 1;\n" + keep), "....");
}

TEST(FoldOperations, OnlyUnderOneGuard) {
  EXPECT_EQ(
      folded("setp.lt.u32 %p1, %r2, %r3;\nand.b32 %r6, %r2, %r3;\n@%p1 or.b32 %r9, %r6, %r4;\n" + kKeep),
      "....");
}

TEST(FoldOperations, SpecialRegistersAreReadOnce) {
  EXPECT_EQ(folded("mov.u32 %r6, %tid.x;\nmov.u32 %r7, %ctaid.x;\nadd.u32 %r9, %r6, %r7;\n" + kKeep), "f...");
}

bool varies(const std::string& body) {
  for (const Instr& in : machine_code_of(body).instrs)
    if (in.op == Op::Div || in.op == Op::Rem) return in.varying;
  return false;
}

TEST(MachineCode, DivisorsOfLoops) {
  EXPECT_TRUE(varies("div.u32 %r9, %r2, %r3;\n" + kKeep));
  EXPECT_FALSE(varies("div.u32 %r9, %r2, 7;\n" + kKeep));
  const std::string round = "add.u32 %r2, %r2, %r9;\nsetp.lt.u32 %p1, %r2, %r4;\n@%p1 bra L;\n" + kKeep;
  EXPECT_FALSE(varies("L:\ndiv.u32 %r9, %r2, %r3;\n" + round));
  EXPECT_TRUE(varies("L:\nadd.u32 %r3, %r3, 1;\ndiv.u32 %r9, %r2, %r3;\n" + round));
}

unsigned joins(const std::string& body) {
  unsigned n = 0;
  for (const Instr& in : machine_code_of(body).instrs) n += in.joins ? 1 : 0;
  return n;
}

TEST(MachineCode, JoinsWhereThreadsOfACtaMayPart) {
  const std::string code = "add.u32 %r9, %r9, %r3;\nst.global.u32 [%rd1], %r9;\n";
  EXPECT_EQ(joins("setp.lt.u32 %p1, %r1, 5;\n@%p1 bra L;\n" + code + "L:\n" + kKeep), 1u);
  // All threads of a CTA go the same way.
  EXPECT_EQ(joins("mov.u32 %r6, %ctaid.x;\nsetp.lt.u32 %p1, %r6, 5;\n@%p1 bra L;\n" + code + "L:\n" + kKeep),
            0u);
  // The others leave.
  EXPECT_EQ(joins("setp.lt.u32 %p1, %r1, 5;\n@%p1 bra L;\n" + code + "L:\n"), 0u);
  // a && b: one end.
  EXPECT_EQ(joins("setp.lt.u32 %p1, %r1, 5;\n@%p1 bra L;\nsetp.lt.u32 %p2, %r1, 9;\n@%p2 bra L;\n" + code +
                  "L:\n" + kKeep),
            1u);
}

}  // namespace
}  // namespace heddle::ptx
