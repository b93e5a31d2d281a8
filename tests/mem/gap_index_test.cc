// Free ranges by address and size, against a plain list of them.
#include "mem/gap_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace heddle::mem {
namespace {

TEST(GapIndex, AnswersAsAListOfAllRangesWould) {
  GapIndex index;
  std::map<std::uint64_t, std::uint64_t> list;
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t begin = random() % 3000, bytes = 1 + random() % 1000;
    if (const auto at = list.find(begin); at != list.end()) {
      EXPECT_EQ(index.erase(begin), at->second);
      list.erase(at);
    } else {
      EXPECT_EQ(index.erase(begin), 0u);
      index.insert(begin, bytes);
      list[begin] = bytes;
    }
    const std::uint64_t wanted = 1 + random() % 1100, from = random() % 3100;
    auto first = list.lower_bound(from);
    while (first != list.end() && first->second < wanted) ++first;
    const GapIndex::Gap gap = index.first(wanted, from);
    ASSERT_EQ(gap.bytes, first != list.end() ? first->second : 0);
    if (gap.bytes != 0) {
      ASSERT_EQ(gap.begin, first->first);
    }
    const auto after = list.lower_bound(from);
    const GapIndex::Gap before = index.before(from);
    ASSERT_EQ(before.bytes, after != list.begin() ? std::prev(after)->second : 0);
    if (before.bytes != 0) {
      ASSERT_EQ(before.begin, std::prev(after)->first);
    }
  }
}

TEST(GapIndex, IsEmptyAtFirst) {
  GapIndex index;
  EXPECT_EQ(index.first(1).bytes, 0u);
  EXPECT_EQ(index.before(100).bytes, 0u);
  EXPECT_EQ(index.erase(0), 0u);
}

}  // namespace
}  // namespace heddle::mem
