// Which arrays of local memory are kept in registers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/assemble/machine_code.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

struct Found {
  std::vector<int> elements;  // of every access to local memory
  std::uint32_t registers = 0;
};
// %rd1 is the variable, %r1 is %tid.x, %rd3 an index by it.
Found arrays(unsigned bytes, const std::string& body) {
  Module m = parse_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.local .align 16 "
      ".b8 depot[" +
          std::to_string(bytes) +
          "];\n.reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n"
          "mov.u64 %rd1, depot;\nld.param.u64 %rd2, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, "
          "4;\n" +
          body + "ret;\n}\n",
      "test.ptx");
  find_machine_code(m, m.functions[0]);
  Found found;
  for (const Instr& in : m.functions[0].instrs)
    if (in.space == Space::Local && (in.op == Op::Ld || in.op == Op::St))
      found.elements.push_back(in.elements);
  found.registers = m.functions[0].array_registers;
  return found;
}
const std::string kPick =
    "add.s64 %rd4, %rd1, %rd3;\nld.local.f32 %f2, [%rd4];\nst.global.f32 [%rd2], %f2;\n";
std::string fill(unsigned words) {
  std::string s;
  for (unsigned w = 0; w < words; ++w) s += "st.local.f32 [%rd1+" + std::to_string(4 * w) + "], %f1;\n";
  return s;
}
std::string repeated(const std::string& text, int n) {
  std::string s;
  for (int i = 0; i < n; ++i) s += text;
  return s;
}
const std::string kLoop = "N:\n", kEnd = "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 9;\n@%p1 bra N;\n";

TEST(LocalArrays, OneIndexedAccessChoosesAmongAll) {
  const Found f = arrays(12, fill(3) + kPick);
  EXPECT_EQ(f.elements, (std::vector<int>{1, 1, 1, 3}));
  EXPECT_EQ(f.registers, 3u);
  EXPECT_EQ(arrays(256, fill(2) + kPick).elements, (std::vector<int>{1, 1, 64}));
}

// As ptxas 13.0 decides (tools/probes/local_arrays.py).
TEST(LocalArrays, ManyComparisonsAreNotWorthIt) {
  EXPECT_EQ(arrays(256, fill(64) + repeated(kPick, 4)).registers, 64u);
  EXPECT_EQ(arrays(80, fill(5) + repeated(kPick, 4)).registers, 0u);  // as vectors of four
  EXPECT_EQ(arrays(32, fill(8) + repeated(kPick, 8)).registers, 8u);
  EXPECT_EQ(arrays(48, fill(12) + repeated(kPick, 8)).registers, 0u);
  EXPECT_EQ(arrays(256, repeated(kPick, 2)).registers, 64u);
  EXPECT_EQ(arrays(48, fill(3) + kLoop + kPick + kEnd).registers, 12u);
  EXPECT_EQ(arrays(64, fill(4) + kLoop + kPick + kEnd).registers, 0u);
  EXPECT_EQ(arrays(80, repeated(kPick, 4)).elements, (std::vector<int>{0, 0, 0, 0}));
}

TEST(LocalArrays, OfOneVariableEachOnItsOwn) {
  // 8 words from 0 on, 40 from 32 on.
  const std::string far =
      "add.s64 %rd5, %rd1, 32;\nadd.s64 %rd6, %rd5, %rd3;\nld.local.f32 %f3, [%rd6];\nst.global.f32 [%rd2], "
      "%f3;\n";
  const Found f =
      arrays(192, kPick + repeated(far, 3) + "ld.local.f32 %f2, [%rd1+4];\nld.local.f32 %f2, [%rd1+36];\n");
  EXPECT_EQ(f.elements, (std::vector<int>{8, 0, 0, 0, 1, 0}));
  EXPECT_EQ(f.registers, 8u);
}

// A counter through the array is an index as well.
TEST(LocalArrays, CountersAreIndices) {
  const std::string walk =
      "mov.u64 %rd4, %rd1;\nN:\nld.local.f32 %f2, [%rd4];\nst.global.f32 [%rd2], %f2;\nadd.s64 %rd4, %rd4, "
      "4;\n" +
      kEnd;
  EXPECT_EQ(arrays(32, walk).elements, (std::vector<int>{8}));
  EXPECT_EQ(arrays(128, walk).elements, (std::vector<int>{0}));
}

TEST(LocalArrays, NotWhereTheAddressIsUsedOtherwise) {
  EXPECT_EQ(arrays(12, fill(3) + kPick + "st.global.u64 [%rd2], %rd4;\n").registers, 0u);
  EXPECT_EQ(arrays(12, fill(3) + kPick + "cvta.local.u64 %rd7, %rd1;\nst.f32 [%rd7], %f1;\n").registers, 0u);
  EXPECT_EQ(arrays(12, fill(3) + kPick + "setp.lt.u64 %p1, %rd4, %rd2;\n@%p1 trap;\n").registers, 0u);
}

}  // namespace
}  // namespace heddle::ptx
