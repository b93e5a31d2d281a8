// Instructions in the order of the vendor's assembler: loads up, everything else where it may be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/register_allocation.h"
#include "ptx/assemble/schedule.h"
#include "ptx/parse/parse_module.h"

namespace heddle::ptx {
namespace {

Module kernel(const std::string& body) {
  return parse_module(
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<8>;\n" +
          body + "ret;\n}\n",
      "test.ptx");
}

// The lines of the body, from 0, in their new order; without the final ret.
std::vector<std::uint32_t> order(const std::string& body, std::uint32_t registers = 255) {
  Module m = kernel(body);
  schedule_instructions(m.functions[0], registers);
  std::vector<std::uint32_t> lines;
  for (const Instr& in : m.functions[0].instrs) lines.push_back(in.line - 9);
  lines.pop_back();
  return lines;
}

using testing::ElementsAre;

TEST(Schedule, LoadsAreIssuedBeforeTheFirstUse) {
  EXPECT_THAT(order("ld.global.u32 %r1, [%rd1];\n"
                    "add.u32 %r2, %r1, 1;\n"
                    "ld.global.u32 %r3, [%rd1+4];\n"
                    "add.u32 %r4, %r3, %r2;\n"
                    "st.global.u32 [%rd2], %r4;\n"),
              ElementsAre(0, 2, 1, 3, 4));
}

// Loads go to their unit four cycles apart, so that the second address, which takes as long, is not late.
TEST(Schedule, AnAddressIsReadyWhenTheUnitIs) {
  EXPECT_THAT(order("ld.global.u32 %r1, [%rd1];\n"
                    "ld.global.u32 %r2, [%rd1+4];\n"
                    "add.s64 %rd3, %rd2, 64;\n"
                    "ld.global.u32 %r3, [%rd3];\n"
                    "add.u32 %r4, %r3, %r1;\n"
                    "add.u32 %r5, %r4, %r2;\n"
                    "st.global.u32 [%rd2], %r5;\n"),
              ElementsAre(2, 0, 3, 1, 4, 5, 6));
}

TEST(Schedule, NoLoadPassesAStoreToItsSpace) {
  EXPECT_THAT(order("ld.global.u32 %r1, [%rd1];\n"
                    "st.global.u32 [%rd2], %r1;\n"
                    "ld.global.u32 %r3, [%rd1+4];\n"
                    "st.global.u32 [%rd2+4], %r3;\n"),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order("ld.global.u32 %r1, [%rd1];\n"
                    "st.shared.u32 [%r9], %r1;\n"
                    "ld.global.u32 %r3, [%rd1+4];\n"
                    "st.shared.u32 [%r9+4], %r3;\n"),
              ElementsAre(0, 2, 1, 3));
}

TEST(Schedule, NothingPassesABarrierAVolatileAccessOrACall) {
  for (const char* fixed :
       {"bar.sync 0;\n", "ld.volatile.global.u32 %r8, [%rd3];\n", "mov.u32 %r8, %clock;\n",
        "div.u64 %rd5, %rd6, %rd7;\n", "bar.warp.sync -1;\n", "membar.gl;\n"})
    EXPECT_THAT(order("add.u32 %r2, %r7, 1;\n" + std::string(fixed) + "ld.global.u32 %r1, [%rd1];\n"),
                ElementsAre(0, 1, 2))
        << fixed;
}

// Loads pass collectives and atomics of another space.
TEST(Schedule, LoadsPassWhatDoesNotChangeTheirMemory) {
  for (const char* passed :
       {"shfl.sync.bfly.b32 %r8, %r7, 1, 31, -1;\n", "vote.sync.ballot.b32 %r8, %p1, -1;\n",
        "match.any.sync.b32 %r8, %r7, -1;\n", "activemask.b32 %r8;\n", "red.shared.add.u32 [%r9], %r7;\n",
        "div.s32 %r8, %r7, %r6;\n"})
    EXPECT_THAT(order(std::string(passed) + "ld.global.u32 %r1, [%rd1];\n"
                                            "st.global.u32 [%rd2], %r1;\n"),
                ElementsAre(1, 0, 2))
        << passed;
  for (const char* kept : {"red.global.add.u32 [%rd3], %r7;\n", "atom.global.add.u32 %r8, [%rd3], %r7;\n",
                           "red.add.u32 [%rd3], %r7;\n"})
    EXPECT_THAT(order(std::string(kept) + "ld.global.u32 %r1, [%rd1];\n"
                                          "st.global.u32 [%rd2], %r1;\n"),
                ElementsAre(0, 1, 2))
        << kept;
}

// The machine has seven predicates: of twelve guarded loads no more than seven wait for one another.
TEST(Schedule, NoMoreThanSevenPredicatesAreAlive) {
  std::string body = ".reg .pred %q<12>;\n";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    body += "setp.gt.u32 %q" + n + ", %r30, " + n + ";\n@%q" + n + " ld.global.u32 %r" + n + ", [%rd1+" +
            std::to_string(4 * i) + "];\n@%q" + n + " add.u32 %r20, %r20, %r" + n + ";\n";
  }
  Module m = kernel(body + "st.global.u32 [%rd2], %r20;\n");
  schedule_instructions(m.functions[0], 255);
  int alive = 0, most = 0;
  for (const Instr& in : m.functions[0].instrs) {
    alive += in.op == Op::Setp ? 1 : in.op == Op::Add ? -1 : 0;
    most = std::max(most, alive);
  }
  EXPECT_EQ(most, 7);
}

TEST(Schedule, LoadsPassStoresToOtherWordsFromTheSameAddress) {
  auto passes = [](const std::string& store, const std::string& load) {
    const auto found = order("ld.global.u32 %r1, [%rd1];\n" + store + load + "st.global.u32 [%rd2], %r3;\n");
    return found.at(1) == 2;
  };
  EXPECT_TRUE(passes("st.shared.u32 [%r9], %r1;\n", "ld.shared.u32 %r3, [%r9+4];\n"));
  EXPECT_TRUE(passes("st.global.u32 [%rd3+8], %r1;\n", "ld.global.u32 %r3, [%rd3+4];\n"));
  EXPECT_FALSE(passes("st.shared.u32 [%r9], %r1;\n", "ld.shared.u32 %r3, [%r9+2];\n"));
  EXPECT_FALSE(passes("st.shared.v2.u32 [%r9], {%r1, %r1};\n", "ld.shared.u32 %r3, [%r9+4];\n"));
  EXPECT_FALSE(passes("st.shared.u32 [%r9], %r1;\n", "ld.shared.u32 %r3, [%r8+4];\n"));
  // The register has another value there.
  EXPECT_THAT(order("ld.global.u32 %r1, [%rd1];\n"
                    "st.shared.u32 [%r9], %r1;\n"
                    "add.u32 %r9, %r9, -4;\n"
                    "ld.shared.u32 %r3, [%r9+4];\n"
                    "st.global.u32 [%rd2], %r3;\n"),
              ElementsAre(0, 1, 2, 3, 4));
}

// A register that is written again: the load may not come before the old value has been read.
TEST(Schedule, OldValuesAreReadFirst) {
  EXPECT_THAT(order("add.u32 %r2, %r1, 1;\n"
                    "ld.global.u32 %r1, [%rd1];\n"
                    "add.u32 %r3, %r1, %r2;\n"
                    "st.global.u32 [%rd2], %r3;\n"),
              ElementsAre(0, 1, 2, 3));
  // Carries are a register that is not named.
  EXPECT_THAT(order("add.cc.u32 %r2, %r1, 1;\n"
                    "addc.u32 %r3, %r4, 0;\n"
                    "add.cc.u32 %r5, %r1, 2;\n"
                    "addc.u32 %r6, %r4, 0;\n"),
              ElementsAre(0, 1, 2, 3));
}

// Eight loads and a chain of additions: with registers to spare all loads come first; with few they do not.
TEST(Schedule, LoadsMoveUpOnlyAsFarAsRegistersGo) {
  std::string body = "mov.u32 %r20, 0;\n";
  for (int i = 0; i < 8; ++i) {
    body += "ld.global.u32 %r" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    body += "add.u32 %r20, %r20, %r" + std::to_string(i) + ";\n";
  }
  body += "st.global.u32 [%rd1], %r20;\n";
  auto needed = [&](std::uint32_t registers) {
    Module m = kernel(body);
    schedule_instructions(m.functions[0], registers);
    return allocate_registers(m.functions[0], build_control_flow(m.functions[0])).max_live;
  };
  EXPECT_EQ(needed(255), 11u);  // eight values, the sum, the address
  EXPECT_LE(needed(6), 7u);     // four values are loaded ahead; going on takes one register more
  EXPECT_GE(needed(6), 5u);     // and makes use of them
}

TEST(Schedule, TheEstimateOfRegistersStays) {
  Module m = kernel("ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;\n");
  Function& f = m.functions[0];
  const std::uint32_t before = registers_per_thread(f, allocate_registers(f, build_control_flow(f)));
  schedule_instructions(m);
  EXPECT_EQ(registers_per_thread(f, allocate_registers(f, build_control_flow(f))), before);
}

}  // namespace
}  // namespace heddle::ptx
