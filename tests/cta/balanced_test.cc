// The order in which an H200 fills its SMs (validation/data/h200_small_grids.csv).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cta/schedulers.h"

namespace heddle::cta {
namespace {

constexpr SmLayout kCard{8, 18, 0, 2};
constexpr std::uint32_t kFirst = 8;

// Six clusters of 16 SMs, two of 18.
std::vector<std::uint32_t> free_contexts(std::uint32_t each) {
  std::vector<std::uint32_t> free(kCard.sms(), each);
  for (std::uint32_t cluster = 0; cluster < 6; ++cluster)
    for (std::uint32_t s = 16; s < 18; ++s) free[cluster * 18 + s] = 0;
  return free;
}

std::vector<std::uint32_t> sms_of(std::uint64_t ctas, std::uint32_t contexts, std::uint32_t ahead = 0) {
  Balanced scheduler(kFirst, ahead);
  scheduler.start(ctas, contexts, kCard);
  std::vector<std::uint32_t> free = free_contexts(contexts), sms;
  while (const auto d = scheduler.next(free)) {
    --free[d->sm];
    sms.push_back(d->sm);
  }
  return sms;
}

TEST(Balanced, GroupsGetAsManyCtasAsOnTheCard) {
  std::ifstream file(HEDDLE_SOURCE "/validation/data/h200_small_grids.csv");
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  ASSERT_TRUE(line.starts_with("ctas,first,gpc0"));
  std::size_t rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::vector<std::uint32_t> card;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
      card.push_back(static_cast<std::uint32_t>(std::stoul(cell)));
    std::vector<std::uint32_t> ours(10);
    ours[0] = card[0];
    for (const std::uint32_t sm : sms_of(card[0], 16)) ++ours[sm < kFirst ? 1 : 2 + sm / 18];
    EXPECT_EQ(ours, card);
  }
  EXPECT_EQ(rows, 148u);
}

// 100 CTAs: neighbours stay in a cluster and, where both of its SMs have one, in a TPC.
TEST(Balanced, NeighboursStayTogether) {
  const std::vector<std::uint32_t> sms = sms_of(100, 16);
  ASSERT_EQ(sms.size(), 100u);
  EXPECT_TRUE(std::is_sorted(sms.begin(), sms.end()));
  const std::vector<std::uint32_t> second(sms.begin() + 16, sms.begin() + 28);
  EXPECT_EQ(second, (std::vector<std::uint32_t>{18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 30, 32}));
}

TEST(Balanced, ALaterTurnBeginsAnew) {
  const std::vector<std::uint32_t> sms = sms_of(132 + 9, 2);
  EXPECT_EQ(std::vector(sms.begin() + 132, sms.end()),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

// SMs by when they first had a CTA, whatever their numbers.
std::vector<std::size_t> in_order(const std::vector<std::uint32_t>& sms) {
  std::vector<std::uint32_t> known;
  std::vector<std::size_t> order;
  for (const std::uint32_t sm : sms) {
    auto at = std::find(known.begin(), known.end(), sm);
    if (at == known.end()) at = known.insert(at, sm);
    order.push_back(static_cast<std::size_t>(at - known.begin()));
  }
  return order;
}

// 1,024 CTAs of 256 threads, eight on an SM: seven whole turns and 100 more.
TEST(Balanced, FirstSmsGoAheadAsOnTheCard) {
  std::ifstream file(HEDDLE_SOURCE "/validation/data/h200_cta_places.csv");
  const std::string row = "256,60000,1024,0,sm,";
  std::string line;
  while (std::getline(file, line) && !line.starts_with(row)) {
  }
  ASSERT_TRUE(file);
  std::vector<std::uint32_t> card;
  std::istringstream in(line.substr(row.size()));
  for (std::uint32_t sm = 0; in >> sm;) card.push_back(sm);
  ASSERT_EQ(card.size(), 1024u);
  EXPECT_EQ(in_order(sms_of(1024, 8, 6)), in_order(card));
  EXPECT_NE(in_order(sms_of(1024, 8)), in_order(card));
}

// More CTAs than there is room for: every context is taken, once.
TEST(Balanced, GoingAheadFillsAllContexts) {
  const std::vector<std::uint32_t> sms = sms_of(5000, 3, 6);
  ASSERT_EQ(sms.size(), 3u * 132);
  for (std::uint32_t sm = 0; sm < kCard.sms(); ++sm)
    EXPECT_EQ(std::count(sms.begin(), sms.end(), sm), free_contexts(3)[sm]);
}

TEST(Balanced, WithoutFirstSmsAllClustersShare) {
  Balanced scheduler(0, 6);
  scheduler.start(3, 4, {3, 4});
  std::vector<std::uint32_t> free(12, 4);
  for (const std::uint32_t sm : {0u, 4u, 8u}) EXPECT_EQ(scheduler.next(free)->sm, sm);
}

}  // namespace
}  // namespace heddle::cta
