#include "heddle/cta_clustering/partition.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "drawn.h"

namespace heddle::clustering {
namespace {

Index3 any_grid(std::uint32_t most) {
  switch (between(1, 3)) {
    case 1:
      return {between(1, most * most), 1, 1};
    case 2:
      return {between(1, most), between(1, most), 1};
    default:
      return {between(1, most), between(1, most), between(1, most)};
  }
}

// Every CTA of the grid once, and task() the inverse.
template <class Order>
void expect_numbers_all(const Order& order, const Index3& grid) {
  const auto tasks = static_cast<std::uint32_t>(tasks_of(grid));
  std::vector<bool> seen(tasks);
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const Index3 cta = order(task, grid);
    RC_ASSERT(cta.x < grid.x && cta.y < grid.y && cta.z < grid.z);
    RC_ASSERT(order.task(cta, grid) == task);
    const std::uint32_t place = RowMajor().task(cta, grid);
    RC_ASSERT(!seen[place]);
    seen[place] = true;
  }
}

TEST(Orders, NumberEveryCtaOnce) {
  EXPECT_TRUE(rc::check("row-major", [] { expect_numbers_all(RowMajor(), any_grid(14)); }));
  EXPECT_TRUE(rc::check("column-major", [] { expect_numbers_all(ColumnMajor(), any_grid(14)); }));
  EXPECT_TRUE(rc::check("tiles", [] {
    expect_numbers_all(Tiles(between(0, 17), between(0, 17), between(0, 4)), any_grid(14));
  }));
}

TEST(Orders, AreThoseOfThePaper) {
  const Index3 grid = {5, 3, 2};
  EXPECT_TRUE(RowMajor()(7, grid) == (Index3{2, 1, 0}));     // v = by * gridDim.x + bx
  EXPECT_TRUE(ColumnMajor()(7, grid) == (Index3{2, 1, 0}));  // v = bx * gridDim.y + by
  EXPECT_TRUE(ColumnMajor()(4, grid) == (Index3{1, 1, 0}));
  EXPECT_TRUE(ColumnMajor()(15, grid) == (Index3{0, 0, 1}));  // planes one after another
  // A grid of 4 x 4 in tiles of 2 x 2, read row by row.
  const std::vector<std::uint32_t> expected = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  std::vector<std::uint32_t> got;
  for (std::uint32_t y = 0; y < 4; ++y) {
    for (std::uint32_t x = 0; x < 4; ++x) got.push_back(Tiles(2, 2).task({x, y, 0}, {4, 4, 1}));
  }
  EXPECT_EQ(got, expected);
}

// A tile is a run of tasks, also at the edges.
TEST(Orders, TilesAreNeighbours) {
  EXPECT_TRUE(rc::check([] {
    const Index3 grid = any_grid(12);
    const Tiles tiles(between(1, 5), between(1, 5), between(1, 3));
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> left;
    std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> present{~0u, 0, 0};
    for (std::uint32_t task = 0; task < tasks_of(grid); ++task) {
      const Index3 cta = tiles(task, grid);
      const auto tile = std::make_tuple(cta.z / tiles.tile.z, cta.y / tiles.tile.y, cta.x / tiles.tile.x);
      if (tile == present) continue;
      RC_ASSERT(left.insert(tile).second);
      present = tile;
    }
  }));
}

TEST(Orders, ATileOfZeroIsTheWholeDimension) {
  const Index3 grid = {7, 5, 3};
  for (std::uint32_t task = 0; task < tasks_of(grid); ++task) {
    EXPECT_TRUE(Tiles(0, 1, 1)(task, grid) == RowMajor()(task, grid));
    EXPECT_TRUE(Tiles(1, 0, 1)(task, grid) == ColumnMajor()(task, grid));
  }
}

TEST(Orders, TasksOfLargeGridsDoNotOverflow) {
  EXPECT_EQ(tasks_of({0x7fffffff, 1, 1}), kMostTasks);
  EXPECT_GT(tasks_of({0xffffffff, 0xffffffff, 0xffffffff}), kMostTasks);
  EXPECT_GT(tasks_of({65536, 65536, 1}), kMostTasks);
  EXPECT_EQ(tasks_of({3, 0, 5}), 0u);
  const Index3 grid = {46340, 46340, 1};  // just below the limit
  const std::uint32_t last = 46340u * 46340u - 1;
  for (const Tiles& tiles : {Tiles(46340, 46340), Tiles(0xffffffff, 0xffffffff, 0xffffffff), Tiles(7, 9)}) {
    EXPECT_TRUE(tiles(last, grid) == (Index3{46339, 46339, 0}));
    EXPECT_EQ(tiles.task({46339, 46339, 0}, grid), last);
  }
}

// The equations of the specification (rules 5 to 7) over all small cases, against counting.
TEST(Clusters, PartitionAndInvertAreInverse) {
  for (std::uint32_t count = 1; count <= 24; ++count) {
    for (std::uint32_t tasks = 1; tasks <= 200; ++tasks) {
      const Clusters clusters = {tasks, count};
      std::uint32_t task = 0;
      for (std::uint32_t cluster = 0; cluster < count; ++cluster) {
        ASSERT_EQ(clusters.first(cluster), task);
        const auto q = static_cast<int>(tasks / count), r = static_cast<int>(tasks % count);
        const int i = static_cast<int>(cluster);
        ASSERT_EQ(static_cast<int>(clusters.first(cluster)), i * (q + 1) + std::min(r - i, 0));
        for (std::uint32_t position = 0; position < clusters.size(cluster); ++position, ++task) {
          ASSERT_EQ(clusters.cluster_of(task), cluster) << tasks << " in " << count;
          ASSERT_EQ(clusters.position_of(task), position) << tasks << " in " << count;
        }
      }
      ASSERT_EQ(task, tasks);
    }
  }
}

TEST(Clusters, RedirectionIsABijection) {
  EXPECT_TRUE(rc::check([] {
    const Clusters clusters = {between(1, 3000), between(1, 160)};
    std::vector<bool> seen(clusters.tasks);
    for (std::uint32_t u = 0; u < clusters.tasks; ++u) {
      const std::uint32_t task = clusters.redirected(u);
      RC_ASSERT(task < clusters.tasks);
      RC_ASSERT(!seen[task]);
      seen[task] = true;
      RC_ASSERT(clusters.cluster_of(task) == u % clusters.count);
    }
  }));
}

}  // namespace
}  // namespace heddle::clustering
