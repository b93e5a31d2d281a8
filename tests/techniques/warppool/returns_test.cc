// The rules of warppool.md, section (b), on what comes back from the L1: mappings, metadata, writeback; and
// what all of it takes to store.
#include "tests/techniques/warppool/pool_rig.h"

#include <gtest/gtest.h>

namespace heddle::warppool {
namespace {

// Rule 9: nine loads with mappings of no common pattern, eight entries.
TEST(WarpPool, RandomMappingsTakeThreadMapEntries) {
  FrontRig rig(with());
  std::vector<mem::Request> open;
  rig.behave = [&](Cycle, const mem::Request& r) {
    open.push_back(r);
    return Answer{Outcome::Pending, 0};
  };
  for (unsigned i = 0; i < 9; ++i)
    rig.access(3 * i, workload::WarpAccess::Kind::Load,
               [&](unsigned l) { return kLine + 128 * i + 4 * (31 - l); });
  rig.run(40);
  EXPECT_EQ(rig.sent.size(), 8u);
  EXPECT_EQ(own(rig).waited_map, 1u);
  rig.reply(open[0]);
  rig.run(10);
  EXPECT_EQ(rig.sent.size(), 9u);
  EXPECT_EQ(own(rig).mapping[static_cast<std::size_t>(Mapping::Random)], 9u);
}

// Rule 10: one load per cycle is written back; the L1 stalls while two lines wait.
TEST(WarpPool, LoadsOfALineAreWrittenBackOneByOne) {
  FrontRig rig(with());
  const auto hit = rig.behave;
  rig.behave = blocked;
  for (unsigned line = 0; line < 3; ++line)
    for (unsigned w = 0; w < 4; ++w) {
      rig.load(3 * w, kLine + 128 * line);
      rig.run(8);
    }
  rig.behave = hit;
  rig.run_until_idle();
  ASSERT_EQ(rig.completed_loads.size(), 12u);
  for (std::size_t i = 1; i < 12; ++i)
    EXPECT_EQ(rig.completed_loads[i].at, rig.completed_loads[i - 1].at + 1);
  // Lines at t, t + 1, t + 2 would come; the third is only asked for when the first has been written back.
  ASSERT_EQ(rig.sent.size(), 3u);
  EXPECT_EQ(rig.sent[1].at, rig.sent[0].at + 1);
  EXPECT_EQ(rig.sent[2].at, rig.sent[0].at + 4);
  EXPECT_GE(own(rig).writeback_full, 1u);
}

TEST(WarpPool, WhileTheWritebackBufferIsFullNoAnswerIsTaken) {
  FrontRig rig(with([](WarpPoolSpec& s) { s.writeback_entries = 1; }));
  std::vector<mem::Request> open;
  rig.behave = [&](Cycle, const mem::Request& r) {
    open.push_back(r);
    return Answer{Outcome::Pending, 0};
  };
  // Four loads of one line in one request: the first of them has to wait for the others.
  rig.behave = blocked;
  for (unsigned w = 0; w < 4; ++w) {
    rig.load(3 * w, kLine);
    rig.run(8);
  }
  rig.behave = [&](Cycle, const mem::Request& r) {
    open.push_back(r);
    return Answer{Outcome::Pending, 0};
  };
  rig.run(2);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_TRUE(rig.unit().takes_replies());
  rig.step([&] { rig.reply(open[0]); });  // one is written back in this cycle
  EXPECT_FALSE(rig.unit().takes_replies());
  rig.run(2);
  EXPECT_FALSE(rig.unit().takes_replies());
  rig.run(1);
  EXPECT_TRUE(rig.unit().takes_replies());
}

// The MSHR metadata table: loads in the L1 that have not been answered.
TEST(WarpPool, WithoutRoomForMetadataARequestWaits) {
  FrontRig rig(with([](WarpPoolSpec& s) {
    s.metadata_entries = 4;
    s.loads_per_tag = 1;
  }));
  std::vector<mem::Request> open;
  rig.behave = [&](Cycle, const mem::Request& r) {
    open.push_back(r);
    return Answer{Outcome::Pending, 0};
  };
  rig.scattered_load(0, kLine, 6);
  rig.run(30);
  EXPECT_EQ(rig.sent.size(), 4u);
  EXPECT_EQ(own(rig).waited_metadata, 1u);
  rig.reply(open[0]);
  rig.run(2);
  EXPECT_EQ(rig.sent.size(), 5u);
}

// Table 1.
TEST(WarpPool, StorageIsThePapers) {
  const auto all = WarpPoolSpec{}.storage();
  std::vector<std::uint64_t> bytes;
  std::uint64_t sum = 0;
  for (const mem::Storage& s : all) {
    bytes.push_back(s.bits / 8);
    sum += s.bits / 8;
  }
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{592, 512, 992, 321, 2944}));
  EXPECT_EQ(sum, 5361u);
}

}  // namespace
}  // namespace heddle::warppool
