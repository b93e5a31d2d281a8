// Warps that go on past what waits for a load.
#include <gtest/gtest.h>

#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

// Load and use, four times, one after the other in the code.
std::vector<StaticInstr> loads_and_uses() {
  std::vector<StaticInstr> code;
  for (int i = 0; i < 4; ++i) {
    code.push_back(op(InstrClass::Load, {i}, {}, StaticInstr::kMemory));
    code.push_back(op(InstrClass::FloatMad, {10}, {i, 10}));
  }
  code.push_back(exit_op());
  return code;
}

constexpr sim::Cycle kLatency = 500;

// When each load reached the L1.
std::vector<sim::Cycle> loads_at(const SmSpec& spec, sim::Cycle& end) {
  Bench b(spec);
  b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + kLatency, r);
    return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
  };
  std::array<std::uint64_t, 32> address{};
  Script s(loads_and_uses(), 1);
  s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.mask = 1;
    a.bytes = 4;
    a.address = address.data();
  };
  end = b.run(s);
  std::vector<sim::Cycle> at;
  for (const auto& [cycle, request] : b.l1.seen) at.push_back(cycle);
  return at;
}

TEST(RunAhead, InTheOrderOfPtxEveryLoadIsWaitedFor) {
  sim::Cycle end = 0;
  const auto at = loads_at(plain(), end);
  ASSERT_EQ(at.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(at[i] - at[i - 1], kLatency);
}

TEST(RunAhead, LoadsComeBeforeTheUsesOfOthers) {
  SmSpec spec = plain();
  spec.reorder = 8;
  sim::Cycle end = 0;
  const auto at = loads_at(spec, end);
  ASSERT_EQ(at.size(), 4u);
  EXPECT_LE(at[3] - at[0], 8u);
  EXPECT_GE(end, kLatency + 3 * 4) << "the uses depend on each other";
  EXPECT_LE(end, kLatency + 4 * 4 + 16);
}

TEST(RunAhead, WithinTheRegistersOfAThread) {
  SmSpec spec = plain();
  spec.reorder = 8;
  spec.load_registers = 2;
  sim::Cycle end = 0;
  const auto at = loads_at(spec, end);
  ASSERT_EQ(at.size(), 4u);
  EXPECT_LE(at[1] - at[0], 4u);
  EXPECT_GE(at[2] - at[1], kLatency - 4);
}

}  // namespace
}  // namespace heddle::sm
