#include "techniques/cta_clustering/rewrite/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "base/error.h"

namespace heddle::cta_clustering {
namespace {

using workload::Dim3;

// Rule 5, corrected: position and cluster of task v.
std::pair<std::uint64_t, std::uint64_t> place(std::uint64_t v, std::uint64_t tasks, std::uint64_t m) {
  const std::uint64_t q = tasks / m, r = tasks % m;
  if (v < r * (q + 1)) return {v % (q + 1), v / (q + 1)};
  return {(v - r) % q, (v - r) / q};
}

TEST(Partition, ClustersAreThoseOfTheCorrectedEquations) {
  for (const std::uint32_t m : {1u, 2u, 3u, 15u, 16u, 20u})
    for (std::uint64_t tasks = 1; tasks < 400; ++tasks) {
      const Clusters c{tasks, m};
      for (std::uint64_t v = 0; v < tasks; ++v) {
        const auto [w, i] = place(v, tasks, m);
        ASSERT_EQ(c.first(static_cast<std::uint32_t>(i)) + w, v);
        ASSERT_LT(w, c.size(static_cast<std::uint32_t>(i)));
      }
    }
}

TEST(Partition, DivisorsDivide) {
  const auto quotient = [](std::uint32_t v, const Divisor& d) {
    return static_cast<std::uint32_t>(std::uint64_t{2 * v} * d.factor >> 32) >> d.shift;
  };
  constexpr std::uint32_t last = 0x7fffffff;
  const auto holds = [&](std::uint32_t v, std::uint32_t d) {
    v &= last;
    d = std::max(d & last, 1u);
    const Divisor by = divisor(d);
    const std::uint32_t multiple = v / d * d;
    for (const std::uint32_t n : {v, multiple, multiple == 0 ? last : multiple - 1, last, last / d * d})
      ASSERT_EQ(quotient(n, by), n / d) << n << " / " << d;
  };
  for (std::uint32_t bit = 0; bit < 31; ++bit)
    for (const std::uint32_t v : {0u, 1u, 65535u, last})
      for (const std::uint32_t d : {1u << bit, (1u << bit) - 1, (1u << bit) + 1}) holds(v, d);
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) holds(random(), random() >> random() % 32);
}

TEST(Partition, RedirectionIsABijection) {
  for (const std::uint32_t m : {1u, 2u, 3u, 15u, 20u})
    for (std::uint64_t tasks = 1; tasks < 200; ++tasks) {
      std::set<std::uint64_t> seen;
      for (std::uint64_t u = 0; u < tasks; ++u) seen.insert(redirected_task(u, {tasks, m}));
      ASSERT_EQ(seen.size(), tasks);
      ASSERT_LT(*seen.rbegin(), tasks);
    }
}

TEST(Partition, EveryOrderCoversEveryGrid) {
  for (const Order order : {Order::Row, Order::Column, Order::Tile})
    for (const Dim3 grid : {Dim3{7, 1, 1}, Dim3{1, 9, 1}, Dim3{5, 4, 1}, Dim3{6, 7, 3}, Dim3{1, 1, 4}})
      for (std::uint32_t width = 1; width < 9; ++width) {
        const Partition p{order, width, 9 - width};
        std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
        for (std::uint64_t v = 0; v < grid.count(); ++v) {
          const Dim3 at = cta_of_task(v, grid, p);
          ASSERT_TRUE(at.x < grid.x && at.y < grid.y && at.z < grid.z);
          seen.emplace(at.x, at.y, at.z);
        }
        ASSERT_EQ(seen.size(), grid.count());
      }
}

// The example of rule 4: 4 x 4 CTAs in tiles of 2 x 2.
TEST(Partition, TilesOfThePaper) {
  const std::uint32_t expected[4][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}};
  for (std::uint32_t v = 0; v < 16; ++v) {
    const Dim3 at = cta_of_task(v, {4, 4, 1}, {Order::Tile, 2, 2});
    EXPECT_EQ(expected[at.y][at.x], v);
  }
  EXPECT_THROW(check({Order::Tile, 0, 2}), Error);
}

}  // namespace
}  // namespace heddle::cta_clustering
