#include "techniques/mrpb/mrpb.h"

#include <gtest/gtest.h>

#include "tests/sm/front_rig.h"

namespace heddle::mrpb {
namespace {

using sm::FrontRig;
using Answer = mem::L1Port::Answer;
using Outcome = mem::L1Port::Outcome;

constexpr std::uint64_t kLine = 0x10'0000;

sm::LoadFrontFactory with(const MrpbSpec& spec = {}) {
  return [spec](const sm::FrontPlace& place) { return std::make_unique<Mrpb>(spec, place); };
}

Answer blocked(sim::Cycle, const mem::Request&) {
  return {};
}

// Five loads of three warps wait behind a blocked L1, those of the highest warp came first.
std::vector<std::uint64_t> order(const MrpbSpec& spec) {
  FrontRig rig(with(spec));
  const auto hit = rig.behave;
  rig.behave = blocked;
  rig.load(30, kLine + 0x3000);
  rig.load(30, kLine + 0x3080);
  rig.run(8);
  rig.load(5, kLine + 0x1000);
  rig.load(5, kLine + 0x1080);
  rig.run(8);
  rig.load(20, kLine + 0x2000);
  rig.run(8);
  rig.behave = hit;
  rig.run_until_idle();
  std::vector<std::uint64_t> lines;
  for (const FrontRig::Sent& s : rig.sent) lines.push_back(s.request.line - kLine);
  EXPECT_EQ(rig.completed_loads.size(), 5u);
  return lines;
}

TEST(Mrpb, LowestWarpsLeaveFirst) {
  EXPECT_EQ(order({}), (std::vector<std::uint64_t>{0x1000, 0x1080, 0x2000, 0x3000, 0x3080}));
}

TEST(Mrpb, OrTheyTakeTurns) {
  MrpbSpec spec;
  spec.drain = Drain::RoundRobin;
  EXPECT_EQ(order(spec), (std::vector<std::uint64_t>{0x1000, 0x2000, 0x3000, 0x1080, 0x3080}));
}

TEST(Mrpb, OrTheLongestQueueIsFirst) {
  MrpbSpec spec;
  spec.drain = Drain::Longest;
  EXPECT_EQ(order(spec), (std::vector<std::uint64_t>{0x1000, 0x3000, 0x1080, 0x2000, 0x3080}));
}

// A line enters per cycle and a line leaves per cycle: nothing is merged.
TEST(Mrpb, EveryLineIsARequest) {
  FrontRig rig(with());
  rig.load(0, kLine);
  rig.load(1, kLine);
  rig.scattered_load(2, kLine, 8);
  rig.run_until_idle();
  EXPECT_EQ(rig.sent.size(), 10u);
  for (std::size_t i = 1; i < rig.sent.size(); ++i) EXPECT_EQ(rig.sent[i].at, rig.sent[i - 1].at + 1);
}

TEST(Mrpb, AStoreEmptiesTheBufferFirst) {
  FrontRig rig(with());
  const auto hit = rig.behave;
  rig.behave = blocked;
  rig.scattered_load(40, kLine, 4);
  rig.run(10);
  rig.store(1, kLine + 0x8000);
  rig.run(2);
  rig.load(0, kLine + 0x9000);  // of the lowest warp, but behind the store
  rig.run(10);
  rig.behave = hit;
  rig.run_until_idle();
  ASSERT_EQ(rig.sent.size(), 6u);
  EXPECT_EQ(rig.sent[4].request.op, mem::Op::Write);
  EXPECT_EQ(rig.sent[5].request.line, kLine + 0x9000);
}

TEST(Mrpb, AFullQueueHoldsTheCoalescer) {
  MrpbSpec spec;
  spec.entries = 2;
  FrontRig rig(with(spec));
  rig.behave = blocked;
  rig.scattered_load(7, kLine, 5);
  rig.run(20);
  EXPECT_EQ(rig.front().waiting(), 1u + 2u);
}

// A set without a way to reserve: the load passes the L1 by, if it may.
TEST(Mrpb, BypassesOnConflicts) {
  for (const bool may : {false, true}) {
    MrpbSpec spec;
    spec.bypass = may;
    FrontRig rig(with(spec));
    rig.behave = [](sim::Cycle now, const mem::Request& r) {
      Answer a;
      a.no_way = true;
      return r.no_l1 ? Answer{Outcome::Hit, now + 1} : a;
    };
    rig.load(0, kLine);
    rig.run(10);
    EXPECT_EQ(rig.sent.size(), may ? 1u : 0u);
  }
}

}  // namespace
}  // namespace heddle::mrpb
