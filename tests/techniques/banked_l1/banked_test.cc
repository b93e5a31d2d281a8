#include <gtest/gtest.h>

#include <algorithm>

#include "techniques/banked_l1/banked_front.h"
#include "tests/sm/front_rig.h"

namespace heddle::banked_l1 {
namespace {

using sm::FrontRig;
using Answer = mem::L1Port::Answer;

constexpr std::uint64_t kLine = 0x10'0000;

sm::LoadFrontFactory with(std::uint32_t banks) {
  return [banks](const sm::FrontPlace& place) {
    return std::make_unique<BankedFront>(BankedSpec{banks}, place);
  };
}

// Cycles from the first to the last line of a load of `lines` lines, `stride` lines apart.
sim::Cycle cycles(std::uint32_t banks, unsigned lines, std::uint64_t stride) {
  FrontRig rig(with(banks));
  rig.access(
      0, workload::WarpAccess::Kind::Load, [&](unsigned l) { return kLine + 128 * stride * l; },
      lines == 32 ? ~0u : (1u << lines) - 1);
  rig.run_until_idle();
  EXPECT_EQ(rig.sent.size(), lines);
  return rig.sent.back().at - rig.sent.front().at + 1;
}

TEST(Banked, EachBankTakesALinePerCycle) {
  EXPECT_EQ(cycles(1, 32, 1), 32u);
  EXPECT_EQ(cycles(8, 32, 1), 4u);
  EXPECT_EQ(cycles(8, 5, 1), 1u);
  EXPECT_EQ(cycles(8, 16, 8), 16u);  // all in one bank
  EXPECT_EQ(cycles(8, 16, 4), 8u);   // in two
}

// An L1 of fewer sets than banks: lines that follow each other are still in different banks.
TEST(Banked, AnL1OfFewSetsUsesAllBanks) {
  FrontRig rig(with(8), 48, 4);
  rig.scattered_load(0, kLine, 32);
  rig.run_until_idle();
  EXPECT_EQ(rig.sent.back().at - rig.sent.front().at + 1, 4u);
}

// One load is active: the next begins a cycle later, though banks are free.
TEST(Banked, OneLoadAtATime) {
  FrontRig rig(with(8));
  rig.load(0, kLine);
  rig.load(1, kLine + 128);
  rig.run_until_idle();
  ASSERT_EQ(rig.sent.size(), 2u);
  EXPECT_EQ(rig.sent[1].at, rig.sent[0].at + 1);
}

TEST(Banked, WhatIsRefusedStaysWhileOtherBanksGoOn) {
  FrontRig rig(with(8));
  const auto hit = rig.behave;
  rig.behave = [&](sim::Cycle now, const mem::Request& r) {
    return r.line == kLine ? Answer{} : hit(now, r);
  };
  rig.scattered_load(0, kLine, 8);
  rig.run(5);
  EXPECT_EQ(rig.sent.size(), 7u);
  rig.behave = hit;
  rig.run_until_idle();
  EXPECT_EQ(rig.sent.size(), 8u);
}

TEST(Banked, StoresGoOneLinePerCycle) {
  FrontRig rig(with(8));
  rig.access(
      0, workload::WarpAccess::Kind::Store, [](unsigned l) { return kLine + 128 * l; }, 0xff);
  rig.run(20);
  ASSERT_EQ(rig.sent.size(), 8u);
  EXPECT_EQ(rig.sent[7].at, rig.sent[0].at + 7);
}

}  // namespace
}  // namespace heddle::banked_l1
