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

// It must not pass the load, whose value it does not need.
TEST(Schedule, AStoreBehindALoadOfItsAddressDoesNotWait) {
  EXPECT_THAT(order("ld.global.u32 %r1, [%rd1];\n"
                    "add.u32 %r2, %r1, %r8;\n"
                    "st.global.u32 [%rd1], %r9;\n"
                    "st.shared.u32 [%r7], %r2;\n"),
              ElementsAre(0, 2, 1, 3));
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

// Rows of loads (their number is #, @ an offset), each with the sum that needs them and the last one: loads
// and sums as L and F in their new order.
std::string order_of_rows(const std::string& line, int rows) {
  std::string body = ".reg .f32 %x<40>, %y<40>, %sum;\nmov.f32 %sum, 0f00000000;\n";
  for (int i = 0; i < rows; ++i) {
    std::string row = line;
    for (std::size_t at; (at = row.find("@")) != std::string::npos;)
      row.replace(at, 1, std::to_string(16 * i));
    for (std::size_t at; (at = row.find("#")) != std::string::npos;) row.replace(at, 1, std::to_string(i));
    body += row;
  }
  Module m = kernel(body + "st.global.f32 [%rd1], %sum;\n");
  schedule_instructions(m.functions[0], 255);
  std::string found;
  for (const Instr& in : m.functions[0].instrs)
    if (is_load(in.op) || in.op == Op::Fma) found += is_load(in.op) ? 'L' : 'F';
  return found;
}

// tools/probes/ptxas_order.py: the same from ptxas 13.0, letter by letter.
std::string additions(int from, int n) {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += "add.u32 %r" + std::to_string(from + i) + ", %r" + std::to_string(from + i) + ", %r1;\n";
  return text;
}

// 13 cycles from a comparison to the branch (tools/probes/loop_rate.cu): a loop's counter comes first, its
// comparison as soon as the counter is there.
TEST(Schedule, WhatDecidesABranchComesFirst) {
  EXPECT_THAT(order("L:\n" + additions(11, 6) +
                    "add.u32 %r2, %r2, 1;\n"
                    "setp.lt.u32 %p1, %r2, 100;\n"
                    "@%p1 bra L;\n"),
              ElementsAre(7, 1, 2, 3, 8, 4, 5, 6, 9));
}

// As many to an instruction that it guards, four to one that selects by it.
TEST(Schedule, AGuardTakesLongerThanAnOperand) {
  EXPECT_THAT(order("setp.lt.u32 %p1, %r2, 100;\n@%p1 add.u32 %r3, %r3, %r4;\n" + additions(11, 6)),
              ElementsAre(0, 2, 3, 4, 5, 6, 7, 1));
  EXPECT_THAT(order("setp.lt.u32 %p1, %r2, 100;\nselp.u32 %r3, %r3, %r4, %p1;\n" + additions(11, 6)),
              ElementsAre(0, 2, 3, 4, 1, 5, 6, 7));
}

TEST(Schedule, ASharedLoadTakesFortyCycles) {
  EXPECT_EQ(order_of_rows("ld.shared.f32 %x#, [%r1+@];\nfma.rn.f32 %sum, %x#, %x#, %sum;\n", 16),
            "LLLLLLLLLLFLFLFLFLFLFLFFFFFFFFFF");
  EXPECT_EQ(order_of_rows("ld.shared.f32 %x#, [%r1+@];\nld.shared.f32 %y#, [%r1+@];\n"
                          "fma.rn.f32 %sum, %x#, %y#, %sum;\n",
                          16),
            "LLLLLLLLLLLLFLLFLLFLLFLLFLLFLLFLLFLLFLLFLLFFFFFF");
}

// While the unit is busy with a load nothing takes registers before the next one: addresses are made just
// before the loads that need them, not all at once.
TEST(Schedule, AddressesAreMadeAsLoadsNeedThem) {
  const auto found = order(
      "ld.global.u32 %r1, [%rd1];\n"
      "ld.shared.u32 %r2, [%r9];\n"
      "add.s64 %rd2, %rd1, %rd7;\n"
      "ld.global.u32 %r3, [%rd2];\n"
      "ld.shared.u32 %r4, [%r9+4];\n"
      "add.s64 %rd3, %rd2, %rd7;\n"
      "ld.global.u32 %r5, [%rd3];\n"
      "ld.shared.u32 %r6, [%r9+8];\n"
      "add.u32 %r10, %r1, %r2;\n"
      "add.u32 %r11, %r3, %r4;\n"
      "add.u32 %r12, %r5, %r6;\n"
      "add.u32 %r13, %r10, %r11;\n"
      "add.u32 %r14, %r12, %r13;\n"
      "st.global.u32 [%rd7], %r14;\n");
  const auto at = [&](std::uint32_t line) {
    return std::find(found.begin(), found.end(), line) - found.begin();
  };
  EXPECT_LT(at(3), at(5));  // the second address has been used when the third one is made
}

// Bodies of a sum of forces: four registers come, five are needed on the way. As many are loaded at once as
// can be worked on together: two here, although three results would fit.
TEST(Schedule, LoadsLeaveRoomForWhatIsMadeOfThem) {
  std::string body = ".reg .f32 %q<40>, %d<40>, %s<10>, %sum, %x, %y, %z;\nmov.f32 %sum, 0f00000000;\n";
  for (int i = 0; i < 4; ++i) {
    const auto n = [&](int k) { return std::to_string(4 * i + k); };
    const std::string s = "%s" + std::to_string(i);
    body += "ld.shared.v4.f32 {%q" + n(0) + ", %q" + n(1) + ", %q" + n(2) + ", %q" + n(3) + "}, [%r1+" +
            std::to_string(16 * i) + "];\n";
    for (int k = 0; k < 3; ++k)
      body += "sub.f32 %d" + n(k) + ", %q" + n(k) + ", %" + std::string(1, "xyz"[k]) + ";\n";
    body += "mul.f32 " + s + ", %d" + n(0) + ", %d" + n(0) + ";\n";
    for (int k = 1; k < 3; ++k) body += "fma.rn.f32 " + s + ", %d" + n(k) + ", %d" + n(k) + ", " + s + ";\n";
    for (int k = 0; k < 3; ++k) body += "fma.rn.f32 %sum, %d" + n(k) + ", " + s + ", %sum;\n";
    body += "fma.rn.f32 %sum, %q" + n(3) + ", " + s + ", %sum;\n";
  }
  Module m = kernel(body + "st.global.f32 [%rd1], %sum;\n");
  schedule_instructions(m.functions[0], 21);  // six beside: the sum, x, y, z, the two words of an address
  int first = 0;
  for (const Instr& in : m.functions[0].instrs) {
    if (in.op == Op::Mul) break;
    first += is_load(in.op) ? 1 : 0;
  }
  EXPECT_EQ(first, 2);
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
