// The contract of every replacement, and what is special about each.
#include "cache/replacement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace heddle::cache {
namespace {

using Mask = std::vector<std::uint64_t>;

class EveryReplacement : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Replacement, EveryReplacement,
                         ::testing::Values("lru", "fifo", "random", "pseudo_lru"));

TEST_P(EveryReplacement, ChoosesTheOnlyWayThatIsNotPending) {
  const auto r = make_replacement(GetParam(), 2, 128);
  for (std::uint32_t w = 0; w < 128; ++w) r->allocated(1, w);
  for (const std::uint32_t free : {0u, 5u, 63u, 64u, 127u}) {
    Mask pending = {~std::uint64_t{0}, ~std::uint64_t{0}};
    pending[free / 64] &= ~(std::uint64_t{1} << (free % 64));
    EXPECT_EQ(r->victim(1, pending), free);
  }
}

TEST_P(EveryReplacement, RepeatsItself) {
  const auto a = make_replacement(GetParam(), 1, 8), b = make_replacement(GetParam(), 1, 8);
  const Mask pending = {0b0010'0100};
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::uint32_t v = a->victim(0, pending);
    ASSERT_EQ(b->victim(0, pending), v);
    ASSERT_TRUE(v < 8 && v != 2 && v != 5);
    a->allocated(0, v);
    b->allocated(0, v);
    a->touched(0, i % 8);
    b->touched(0, i % 8);
  }
}

TEST_P(EveryReplacement, EveryWayTakesItsTurn) {
  const auto r = make_replacement(GetParam(), 1, 8);
  const Mask none = {0};
  std::vector<std::uint32_t> chosen(8);
  for (std::uint32_t i = 0; i < 800; ++i) {
    const std::uint32_t v = r->victim(0, none);
    ++chosen[v];
    r->allocated(0, v);
  }
  for (const std::uint32_t n : chosen) EXPECT_NEAR(n, 100, GetParam() == "random" ? 40 : 0);
}

TEST(Replacement, FifoIgnoresUsesAndLruDoesNot) {
  const auto fifo = make_replacement("fifo", 1, 4), lru = make_replacement("lru", 1, 4);
  const Mask none = {0};
  for (std::uint32_t w = 0; w < 4; ++w) {
    fifo->allocated(0, w);
    lru->allocated(0, w);
  }
  fifo->touched(0, 0);
  lru->touched(0, 0);
  EXPECT_EQ(fifo->victim(0, none), 0u);
  EXPECT_EQ(lru->victim(0, none), 1u);
}

TEST(Replacement, TheTreePointsAwayFromTheLastUse) {
  const auto r = make_replacement("pseudo_lru", 1, 4);
  const Mask none = {0};
  for (std::uint32_t w = 0; w < 4; ++w) r->touched(0, w);
  // Used in order 0 1 2 3: root to the left half, there to way 0. True LRU and tree agree.
  EXPECT_EQ(r->victim(0, none), 0u);
  r->touched(0, 0);  // root to the right half, there to way 2
  EXPECT_EQ(r->victim(0, none), 2u);
  r->touched(0, 2);  // root to the left: 0 was used there last, so 1
  EXPECT_EQ(r->victim(0, none), 1u);
  r->touched(0, 3);
  r->touched(0, 1);  // unused longest is 0; the tree says right, where 3 was last: 2
  EXPECT_EQ(r->victim(0, none), 2u);
}

TEST(Replacement, AnUnknownNameIsAnError) {
  EXPECT_THROW(make_replacement("mru", 1, 1), Error);
  for (const auto& n : replacement_names()) EXPECT_NE(make_replacement(n.name, 2, 4), nullptr);
}

}  // namespace
}  // namespace heddle::cache
