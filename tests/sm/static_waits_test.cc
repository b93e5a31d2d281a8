// Where the assembler puts waits for results of fixed latency.
#include "sm/static_waits.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace heddle::sm {
namespace {

using workload::InstrClass;
using workload::RegisterId;
using workload::StaticInstr;

StaticInstr instr(InstrClass cls, std::initializer_list<RegisterId> src,
                  std::initializer_list<RegisterId> dst, std::uint8_t flags = 0) {
  StaticInstr i;
  i.cls = cls;
  i.flags = flags;
  for (const RegisterId r : src) i.src[i.n_src++] = r;
  for (const RegisterId r : dst) i.dst[i.n_dst++] = r;
  return i;
}
StaticInstr add(RegisterId from, RegisterId to) {
  return instr(InstrClass::IntAdd, {from}, {to});
}
StaticInstr load(RegisterId to) {
  return instr(InstrClass::Load, {0}, {to}, StaticInstr::kMemory);
}
StaticInstr branch(RegisterId guard) {
  StaticInstr i = instr(InstrClass::Branch, {guard}, {}, StaticInstr::kBranch);
  i.wide_src = StaticInstr::kGuarded;
  return i;
}
std::vector<std::uint8_t> waits(const std::vector<StaticInstr>& code) {
  SmSpec spec;  // an addition takes 4 cycles
  spec.guard_delay = 9;
  return static_waits({code, 8}, spec);
}
using Waits = std::vector<std::uint8_t>;

TEST(StaticWaits, BehindTheInstructionBeforeTheOneThatReads) {
  EXPECT_EQ(waits({add(1, 2), add(2, 3), add(1, 4)}), (Waits{4, 1, 1}));
  EXPECT_EQ(waits({add(1, 2), add(1, 3), add(2, 4)}), (Waits{1, 3, 1}));
}

TEST(StaticWaits, GuardsWaitLonger) {
  EXPECT_EQ(waits({add(1, 2), branch(2)}), (Waits{13, 1}));
  EXPECT_EQ(waits({add(1, 2), add(3, 4), branch(2)}), (Waits{1, 12, 1}));
}

// However late the addition of its value comes.
TEST(StaticWaits, WhatMemoryBringsIsNoPartOfThem) {
  EXPECT_EQ(waits({load(1), add(1, 2), add(2, 3)}), (Waits{1, 4, 1}));
  EXPECT_EQ(waits({load(1), add(3, 2), add(1, 4), branch(2)}), (Waits{1, 1, 12, 1}));
}

TEST(StaticWaits, EndWithTheBlock) {
  EXPECT_EQ(waits({add(1, 2), branch(1), add(2, 3)}), (Waits{1, 1, 1}));
}

TEST(StaticWaits, WhatIsRemovedHasNone) {
  SmSpec spec;
  spec.timing.classes[static_cast<std::size_t>(InstrClass::Move)].slots = 0;
  const std::vector<StaticInstr> code = {add(1, 2), instr(InstrClass::Move, {2}, {3}), add(3, 4)};
  EXPECT_EQ(static_waits({code, 8}, spec)[0], 4);
}

}  // namespace
}  // namespace heddle::sm
