#include "base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

TEST(Suggest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("szie", "size"), 1u);  // a swap is one slip
  EXPECT_EQ(edit_distance("LRU", "lru"), 0u);
}

TEST(Suggest, FindsTheNearestName) {
  const std::vector<std::string> names = {"l1.size", "l1.ways", "l2.size", "scheduler"};
  EXPECT_EQ(nearest("l1.szie", names), "l1.size");
  EXPECT_EQ(nearest("L2.size", names), "l2.size");
  EXPECT_EQ(nearest("schedular", names), "scheduler");
  EXPECT_EQ(nearest("ways", names), "l1.ways");
  EXPECT_EQ(nearest("quux", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest(std::string(100000, 'x'), names), std::nullopt);
  EXPECT_EQ(did_you_mean("l1.szie", names), "did you mean 'l1.size'?");
  EXPECT_EQ(did_you_mean("quux", names), "");
}

}  // namespace
}  // namespace heddle
