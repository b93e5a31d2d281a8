#include "techniques/packet_coalescing/merged_table.h"

#include <gtest/gtest.h>

namespace heddle::packet_coalescing {
namespace {

struct Open final : noc::PacketMerger::Exits {
  bool room_for(noc::PacketMerger::Index packet) const override { return packet != full; }
  noc::PacketMerger::Index full = noc::PacketMerger::kNone;  // has none
};

TEST(MergedTable, TheFirstThatIsDueLeavesFirst) {
  MergedTable t(4);
  EXPECT_EQ(t.due(0), sim::kNever);
  t.add(1, 10, 1, 0, 30);
  t.add(2, 20, 1, 0, 20);
  t.add(3, 30, 1, 0, 20);
  t.add(4, 40, 1, 0, 25);
  EXPECT_TRUE(t.full());
  EXPECT_FALSE(t.release(19, Open()));
  EXPECT_EQ(t.due(0), 20u);
  EXPECT_EQ(t.due(21), 25u);
  std::vector<MergedTable::Index> order;
  while (const auto e = t.release(30, Open())) order.push_back(e->packet);
  EXPECT_EQ(order, (std::vector<MergedTable::Index>{20, 30, 40, 10}));
  EXPECT_FALSE(t.full());
}

// One that has no room does not hold up others.
TEST(MergedTable, WithoutRoomAnEntryStays) {
  MergedTable t(2);
  t.add(1, 10, 1, 0, 20);
  t.add(2, 20, 1, 0, 25);
  Open exits;
  exits.full = 10;
  EXPECT_EQ(t.release(30, exits)->packet, 20u);
  EXPECT_FALSE(t.release(30, exits));
  EXPECT_EQ(t.due(31), sim::kNever);
  EXPECT_EQ(t.release(30, Open())->packet, 10u);
}

TEST(MergedTable, FindsARowWithRoom) {
  MergedTable t(4);
  t.add(1, 10, 3, 0, 30);
  t.add(1, 20, 1, 0, 40);
  EXPECT_EQ(t.find(2, 1, 4, 0), nullptr);
  EXPECT_EQ(t.find(1, 1, 4, 30)->packet, 10u);
  EXPECT_EQ(t.find(1, 2, 4, 0)->packet, 20u);
  EXPECT_EQ(t.find(1, 1, 4, 31)->packet, 20u) << "the other one's time is over";
  EXPECT_EQ(t.find(1, 4, 4, 0), nullptr);
}

// Nobody's deadline is missed.
TEST(MergedTable, AJoinedPacketLeavesAtTheEarlierDeadline) {
  MergedTable t(2);
  t.add(1, 10, 1, 5, 30);
  t.add(2, 20, 1, 5, 25);
  MergedTable::Entry* e = t.find(1, 2, 8, 0);
  MergedTable::join(*e, 2, 7, 20);
  MergedTable::join(*e, 1, 8, 99);
  EXPECT_EQ(t.due(0), 20u);
  const auto first = t.release(20, Open());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->packet, 10u);
  EXPECT_EQ(first->requests, 4u);
  EXPECT_EQ(first->since_sum, 5u + 2 * 7u + 8u);
}

}  // namespace
}  // namespace heddle::packet_coalescing
