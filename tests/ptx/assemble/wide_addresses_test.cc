// A wide product and the sum that it goes into become one instruction where the factors are still there.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ptx/assemble/wide_addresses.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

struct Counts {
  long products = 0, sums = 0, fused = 0;
  bool operator==(const Counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.products << " products, " << c.sums << " sums, " << c.fused << " fused";
}

Counts fused(const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<18>; .reg .f32 %f<4>;\n" +
          body + "ret;\n}\n",
      "test.ptx");
  Function& f = m.functions[0];
  fuse_wide_addresses(f);
  auto count = [&](Op op, Type type) {
    return std::count_if(f.instrs.begin(), f.instrs.end(),
                         [&](const Instr& in) { return in.op == op && (bits(in.type) == bits(type)); });
  };
  return {count(Op::Mul, Type::S32), count(Op::Add, Type::S64), count(Op::Mad, Type::S32)};
}

TEST(WideAddresses, AProductThatOneSumNeeds) {
  EXPECT_EQ(fused("mul.wide.s32 %rd1, %r1, 4;\nadd.s64 %rd2, %rd3, %rd1;\n"), (Counts{0, 0, 1}));
  EXPECT_EQ(fused("mul.wide.u32 %rd1, %r1, %r2;\nadd.s64 %rd2, %rd1, %rd3;\n"), (Counts{0, 0, 1}));
}

TEST(WideAddresses, AProductThatIsNeededElsewhereStays) {
  EXPECT_EQ(fused("mul.wide.s32 %rd1, %r1, 4;\nadd.s64 %rd2, %rd3, %rd1;\nst.global.u64 [%rd2], %rd1;\n"),
            (Counts{1, 0, 1}));
}

// The stride of a loop: factor and product come from before it.
TEST(WideAddresses, AStrideOfALoop) {
  EXPECT_EQ(fused("ld.param.u32 %r1, [p];\nmul.wide.s32 %rd1, %r1, 4;\nL: add.s64 %rd2, %rd2, %rd1;\n"
                  "ld.global.f32 %f1, [%rd2];\nsetp.gt.f32 %p1, %f1, %f2;\n@%p1 bra L;\n"),
            (Counts{0, 0, 1}));
}

TEST(WideAddresses, FactorsThatMayHaveChanged) {
  // Written between the two.
  EXPECT_EQ(fused("mul.wide.s32 %rd1, %r1, 4;\nadd.s32 %r1, %r1, 1;\nadd.s64 %rd2, %rd3, %rd1;\n"),
            (Counts{1, 1, 0}));
  // Of the round before.
  EXPECT_EQ(fused("L: add.s64 %rd2, %rd2, %rd1;\nld.global.u32 %r1, [%rd2];\nmul.wide.s32 %rd1, %r1, 4;\n"
                  "setp.gt.s32 %p1, %r1, 0;\n@%p1 bra L;\n"),
            (Counts{1, 1, 0}));
  // The loop writes the factor.
  EXPECT_EQ(fused("ld.param.u32 %r1, [p];\nmul.wide.s32 %rd1, %r1, 4;\nL: add.s64 %rd2, %rd2, %rd1;\n"
                  "ld.global.u32 %r1, [%rd2];\nsetp.gt.s32 %p1, %r1, 0;\n@%p1 bra L;\n"),
            (Counts{1, 1, 0}));
  EXPECT_EQ(fused("@%p1 mul.wide.s32 %rd1, %r1, 4;\nadd.s64 %rd2, %rd3, %rd1;\n"), (Counts{1, 1, 0}));
}

}  // namespace
}  // namespace heddle::ptx
