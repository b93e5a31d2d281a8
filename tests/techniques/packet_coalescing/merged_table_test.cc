#include "techniques/packet_coalescing/merged_table.h"

#include <gtest/gtest.h>

namespace heddle::packet_coalescing {
namespace {

TEST(MergedTable, TheFirstThatIsDueLeavesFirst) {
  MergedTable t(4);
  EXPECT_EQ(t.due(), sim::kNever);
  t.add(1, 10, 1, 0, 30);
  t.add(2, 20, 1, 0, 20);
  t.add(3, 30, 1, 0, 20);
  t.add(4, 40, 1, 0, 25);
  EXPECT_TRUE(t.full());
  std::vector<MergedTable::Index> order;
  while (t.due() != sim::kNever) {
    order.push_back(t.first().packet);
    t.remove_first();
  }
  EXPECT_EQ(order, (std::vector<MergedTable::Index>{20, 30, 40, 10}));
  EXPECT_FALSE(t.full());
}

TEST(MergedTable, FindsARowWithRoom) {
  MergedTable t(4);
  t.add(1, 10, 3, 0, 30);
  t.add(1, 20, 1, 0, 40);
  EXPECT_EQ(t.find(2, 1, 4), nullptr);
  EXPECT_EQ(t.find(1, 1, 4)->packet, 10u);
  EXPECT_EQ(t.find(1, 2, 4)->packet, 20u);
  EXPECT_EQ(t.find(1, 4, 4), nullptr);
}

// Nobody's deadline is missed.
TEST(MergedTable, AJoinedPacketLeavesAtTheEarlierDeadline) {
  MergedTable t(2);
  t.add(1, 10, 1, 5, 30);
  t.add(2, 20, 1, 5, 25);
  MergedTable::Entry* e = t.find(1, 2, 8);
  MergedTable::join(*e, 2, 7, 20);
  t.find_first();
  EXPECT_EQ(t.due(), 20u);
  EXPECT_EQ(t.first().packet, 10u);
  EXPECT_EQ(t.first().requests, 3u);
  EXPECT_EQ(t.first().since_sum, 5u + 2 * 7u);
  MergedTable::join(*e, 1, 8, 99);
  t.find_first();
  EXPECT_EQ(t.due(), 20u);
}

}  // namespace
}  // namespace heddle::packet_coalescing
