// Values of 64 bits that the machine computes as words.
#include "ptx/assemble/narrow_values.h"

#include "ptx_text.h"

namespace heddle::ptx {
namespace {

// A letter for each instruction of the body: n for one whose upper word nobody needs.
std::string narrow(const std::string& body) {
  Module m = parse(kernel_text("ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n" + body));
  Function& f = m.functions.back();
  find_narrow_values(f);
  std::string s;
  for (std::size_t i = 2; i + 1 < f.instrs.size(); ++i) s += f.instrs[i].narrow ? 'n' : '.';
  return s;
}
const std::string kAddress = "mul.wide.u32 %rd2, %r1, 4;\nmov.u64 %rd3, svar;\nadd.s64 %rd4, %rd3, %rd2;\n";

TEST(NarrowValues, AddressesOfSharedMemory) {
  EXPECT_EQ(narrow(kAddress + "st.shared.u32 [%rd4], %r1;\n"), "nnn.");
  // All of it goes to memory, then only a part of the sum.
  EXPECT_EQ(narrow(kAddress + "st.shared.u32 [%rd4], %r1;\nst.global.u64 [%rd1], %rd4;\n"), ".....");
  EXPECT_EQ(narrow(kAddress + "st.shared.u32 [%rd4], %r1;\nst.global.u64 [%rd1], %rd2;\n"), ".nn..");
}

TEST(NarrowValues, GlobalAddressesAreWhole) {
  EXPECT_EQ(narrow("mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd4, %rd1, %rd2;\nst.global.u32 [%rd4], %r1;\n"),
            "...");
}

TEST(NarrowValues, WhatBringsUpperBitsDown) {
  const std::string store = "st.shared.u32 [%rd4], %r1;\n";
  EXPECT_EQ(narrow("add.s64 %rd2, %rd3, 9;\nshl.b64 %rd4, %rd2, 2;\n" + store), "nn.");
  EXPECT_EQ(narrow("add.s64 %rd2, %rd3, 9;\nshr.u64 %rd4, %rd2, 2;\n" + store), "...");
}

}  // namespace
}  // namespace heddle::ptx
