// Storage by the paper's arithmetic (icc.md, section a and rule 7).
#include <gtest/gtest.h>

#include "techniques/intra_cluster/icc_merger.h"

namespace heddle::intra_cluster {
namespace {

std::vector<mem::Storage> storage(std::uint32_t entries, const cluster::MergerPlace& place) {
  MergeTableSpec table;
  table.entries = entries;
  return IccMerger(table, CoalescedCacheSpec{}, place).storage();
}

TEST(Storage, IsThePapers) {
  const auto s = storage(48, {.sms = 5});
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].bits, 2208u);
  EXPECT_EQ(s[0].formula, "48 x (41 + 5) bits");
  EXPECT_EQ(s[1].bits, 3195u * 8);
  EXPECT_EQ(s[1].formula, "24 x (41 + 1024) bits");
}

TEST(Storage, FollowsTheCluster) {
  EXPECT_EQ(storage(96, {.sms = 10})[0].bits, 96u * (41 + 10));
  EXPECT_EQ(storage(48, {.sms = 5, .line = Bytes{64}})[0].bits, 48u * (42 + 5));
}

// One bit per SM and sector; valid bits per sector.
TEST(Storage, SectorsHaveBits) {
  const auto s = storage(48, {.sms = 17, .sectored = true});
  EXPECT_EQ(s[0].bits, 48u * (41 + 17 * 4));
  EXPECT_EQ(s[1].bits, 24u * (41 + 1024 + 4));
  EXPECT_EQ(s[1].formula, "24 x (41 + 1024 + 4) bits");
}

TEST(Storage, WithoutACacheIsTheTables) {
  EXPECT_EQ(IccMerger({}, std::nullopt, {.sms = 5}).storage().size(), 1u);
}

}  // namespace
}  // namespace heddle::intra_cluster
