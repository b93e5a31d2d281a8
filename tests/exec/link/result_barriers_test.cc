// Which results are waited for together, as ptxas gives barriers to them.
#include "exec/link/result_barriers.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>

namespace heddle::exec {
namespace {

using workload::InstrClass;
using workload::RegisterId;
using workload::StaticInstr;

StaticInstr load(RegisterId to) {
  StaticInstr i;
  i.cls = InstrClass::Load;
  i.flags = StaticInstr::kMemory;
  i.n_dst = 1;
  i.dst[0] = to;
  return i;
}

StaticInstr reads(std::initializer_list<RegisterId> from, RegisterId to,
                  InstrClass cls = InstrClass::FloatMad) {
  StaticInstr i;
  i.cls = cls;
  for (const RegisterId r : from) i.src[i.n_src++] = r;
  i.n_dst = 1;
  i.dst[0] = to;
  return i;
}

// The register that an instruction waits for beside its operands.
std::optional<RegisterId> also(const std::vector<StaticInstr>& code, std::size_t at,
                               std::initializer_list<std::size_t> starts = {}) {
  std::vector<StaticInstr> marked = code;
  std::vector<bool> begins(code.size());
  begins[0] = true;
  for (const std::size_t s : starts) begins[s] = true;
  share_result_barriers(marked, begins);
  const StaticInstr& i = marked[at];
  return i.waited_for() == i.n_src ? std::nullopt : std::optional(i.src[i.n_src]);
}

// Loads of registers 1 to n, then an instruction for each that adds it to register 20.
std::vector<StaticInstr> sum(RegisterId n) {
  std::vector<StaticInstr> code;
  for (RegisterId r = 1; r <= n; ++r) code.push_back(load(r));
  for (RegisterId r = 1; r <= n; ++r) code.push_back(reads({r, 20}, 20));
  return code;
}

TEST(ResultBarriers, FourHaveOneOfTheirOwn) {
  for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(also(sum(4), i), std::nullopt) << i;
}

TEST(ResultBarriers, TheOthersShareTheLast) {
  const std::vector<StaticInstr> code = sum(9);
  for (std::size_t i = 9; i < 12; ++i) EXPECT_EQ(also(code, i), std::nullopt) << i;
  EXPECT_EQ(also(code, 12), 9);  // the fourth waits for the ninth
  for (std::size_t i = 13; i < 18; ++i) EXPECT_EQ(also(code, i), std::nullopt) << i;
}

TEST(ResultBarriers, WhatOneInstructionReadsComesToOne) {
  std::vector<StaticInstr> code;
  for (RegisterId r = 1; r <= 8; ++r) code.push_back(load(r));
  for (RegisterId r = 1; r <= 8; r += 2) code.push_back(reads({r, static_cast<RegisterId>(r + 1), 20}, 20));
  for (std::size_t i = 8; i < 12; ++i) EXPECT_EQ(also(code, i), std::nullopt) << i;
}

TEST(ResultBarriers, ACopyThatTheAssemblerRemovesIsTheSameValue) {
  for (const InstrClass removed : {InstrClass::Move, InstrClass::AddressSpace}) {
    std::vector<StaticInstr> code = sum(9);
    code.insert(code.begin() + 9, reads({4}, 30, removed));
    code[13] = reads({30, 20}, 20);
    EXPECT_EQ(also(code, 9), std::nullopt);
    EXPECT_EQ(also(code, 13), 9);
  }
}

TEST(ResultBarriers, ABlockKnowsNothingOfOthers) {
  EXPECT_EQ(also(sum(9), 12, {11}), std::nullopt);
}

}  // namespace
}  // namespace heddle::exec
