// From the lines that CTAs read to an order of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "techniques/cta_clustering/graph/cut_graph.h"
#include "techniques/cta_clustering/graph/parts.h"
#include "techniques/cta_clustering/graph/reuse_graph.h"

namespace heddle::cta_clustering {
namespace {

using testing::ElementsAre;
using workload::CtaReads;

CtaReads reads(std::vector<std::vector<std::uint64_t>> lines) {
  CtaReads r;
  r.line_bytes = 128;
  r.lines = std::move(lines);
  return r;
}

std::uint32_t weight(const ReuseGraph& g, std::uint32_t a, std::uint32_t b) {
  for (std::uint64_t e = g.first[a]; e < g.first[a + 1]; ++e)
    if (g.end[e] == b) return g.weight[e];
  return 0;
}

TEST(ReuseGraph, ALineOfTwoCtasIsAnEdge) {
  const ReuseGraph g = reuse_graph(reads({{1, 2, 3}, {2, 3, 9}, {4}, {9}}));
  EXPECT_EQ(g.edges(), 2u);
  EXPECT_EQ(weight(g, 0, 1), 2 * kLine);
  EXPECT_EQ(weight(g, 1, 0), 2 * kLine);
  EXPECT_EQ(weight(g, 1, 3), kLine);
  EXPECT_EQ(weight(g, 2, 0), 0u);
}

TEST(ReuseGraph, ToPartACtaFromALineCostsOneLine) {
  const ReuseGraph g = reuse_graph(reads({{1}, {1}, {1}, {1}, {1}, {7}}));
  EXPECT_EQ(g.edges(), 10u);
  EXPECT_EQ(weight(g, 0, 4), kLine / 4);
}

TEST(ReuseGraph, WhatAllReadSaysNothing) {
  EXPECT_EQ(reuse_graph(reads({{1}, {1}, {1}})).edges(), 0u);
}

// Of lines that more CTAs read than a cluster has, every pair counts as if the cluster were all.
TEST(ReuseGraph, NoClusterHoldsAllReaders) {
  CtaReads r = reads(std::vector<std::vector<std::uint64_t>>(21));
  for (std::size_t i = 0; i < 20; ++i) r.lines[i] = {5};
  r.lines[0] = r.lines[20] = {3, 5};
  r.lines[20] = {3};
  const ReuseGraph g = reuse_graph(r, {.cluster = 5});
  EXPECT_EQ(weight(g, 1, 3), kLine / 4);
  EXPECT_GT(weight(g, 1, 2), kLine / 4) << "neighbours are preferred";
  EXPECT_EQ(weight(g, 0, 20), kLine);
}

// 64 CTAs of 65 read it: in a ring, not in 2016 pairs; those in a row have together what their pairs would.
TEST(ReuseGraph, LinesOfManyAreARing) {
  CtaReads r = reads(std::vector<std::vector<std::uint64_t>>(65));
  for (std::size_t i = 0; i < 64; ++i) r.lines[i] = {5};
  const ReuseGraph g = reuse_graph(r);
  EXPECT_EQ(g.edges(), 64u * 5u);  // 1, 2, 4, 8, 16 places away
  const ReuseGraph tens = reuse_graph(r, {.cluster = 10});
  EXPECT_EQ(tens.edges(), 64u * 4u);
  std::uint64_t inside = 0;
  for (std::uint32_t a = 20; a < 30; ++a)
    for (std::uint32_t b = 20; b < a; ++b) inside += weight(tens, a, b);
  EXPECT_NEAR(static_cast<double>(inside), 9 * kLine, 100);
  EXPECT_EQ(reuse_graph(r, {.all_pairs = 64}).edges(), 64u * 63u / 2);
}

TEST(ReuseGraph, RefusesWhatIsTooLargeOrUnknown) {
  EXPECT_THROW(reuse_graph(CtaReads::unknown("it launches kernels")), Error);
  EXPECT_THROW(reuse_graph(reads({{1}, {1}, {2}}), {.most_vertices = 2}), Error);
  CtaReads r = reads(std::vector<std::vector<std::uint64_t>>(40));
  for (std::size_t i = 0; i < 39; ++i) r.lines[i] = {5};
  EXPECT_LE(reuse_graph(r, {.all_pairs = 64, .most_edges = 300}).edges(), 300u) << "a ring is sparser";
  EXPECT_THROW(reuse_graph(r, {.all_pairs = 64, .most_edges = 30}), Error);
}

// A grid whose CTAs share along columns (or rows): lines by column, and one of each CTA's own.
CtaReads shared_along(std::uint32_t width, std::uint32_t height, bool columns) {
  CtaReads r = reads({});
  for (std::uint32_t i = 0; i < width * height; ++i) {
    const std::uint64_t with = columns ? i % width : i / width;
    r.lines.push_back({10 * with, 10 * with + 1, 10 * with + 2, 100'000 + i});
  }
  return r;
}

TEST(CutGraph, ColumnsThatShareComeOut) {
  for (const bool columns : {true, false}) {
    const std::uint32_t width = 6, height = 9, clusters = columns ? 6 : 9;
    const ReuseGraph g = reuse_graph(shared_along(width, height, columns));
    const TaskOrder order = cut_graph(g, {.clusters = clusters});
    EXPECT_EQ(cut_weight(g, order, clusters), 0u);
    const Clusters c{order.size(), clusters};
    for (std::uint32_t i = 0; i < clusters; ++i) {
      std::set<std::uint32_t> lines;
      for (std::uint64_t w = 0; w < c.size(i); ++w) {
        const std::uint32_t cta = order[c.first(i) + w];
        lines.insert(columns ? cta % width : cta / width);
      }
      EXPECT_EQ(lines.size(), 1u) << "cluster " << i;
    }
  }
}

// Lines of more readers than are joined in pairs.
TEST(CutGraph, LongColumnsComeOutToo) {
  const ReuseGraph g = reuse_graph(shared_along(8, 100, true));
  EXPECT_EQ(cut_weight(g, cut_graph(g, {.clusters = 8}), 8), 0u);
}

// 5 columns of 20 in 15 clusters of 7 and 6: 7 + 7 + 6 of each, and neighbours together.
TEST(CutGraph, SizesThatDifferByOneGoWhereTheyFit) {
  const ReuseGraph g = reuse_graph(shared_along(5, 20, true));
  const TaskOrder order = cut_graph(g, {.clusters = 15});
  const Clusters c{100, 15};
  EXPECT_EQ(order[c.first(0)] % 5, order[c.first(1)] % 5) << "who helps out comes from the same column";
  for (std::uint32_t i = 0; i < 15; ++i)
    for (std::uint64_t w = 1; w < c.size(i); ++w)
      EXPECT_EQ(order[c.first(i) + w] % 5, order[c.first(i)] % 5) << "cluster " << i;
}

TEST(CutGraph, WithoutAnythingSharedStaysInOrder) {
  EXPECT_THAT(cut_graph(reuse_graph(reads({{1}, {2}, {3}})), {.clusters = 2}), ElementsAre(0, 1, 2));
  EXPECT_THAT(cut_graph(reuse_graph(reads({{1}, {1}, {3}})), {.clusters = 5}), ElementsAre(0, 1, 2));
}

// Recorded, so that another library or processor that cuts otherwise is noticed.
TEST(CutGraph, IsTheSameEverywhere) {
  CtaReads r = reads(std::vector<std::vector<std::uint64_t>>(300));
  std::uint64_t x = 88172645463325252ull;
  for (auto& lines : r.lines) {
    for (int i = 0; i < 12; ++i) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      lines.push_back(x % 400);
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  }
  const TaskOrder order = cut_graph(reuse_graph(r), {.clusters = 15});
  std::uint64_t hash = 14695981039346656037ull;
  for (const std::uint32_t v : order) hash = (hash ^ v) * 1099511628211ull;
  EXPECT_EQ(hash, 17684331270062031843ull);
}

CtaReads any_reads() {
  CtaReads r = reads({});
  const auto ctas = *rc::gen::inRange<std::size_t>(1, 120);
  const auto lines = *rc::gen::inRange<std::uint64_t>(1, 200);
  for (std::size_t i = 0; i < ctas; ++i) {
    const auto some = *rc::gen::container<std::set<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, lines));
    r.lines.emplace_back(some.begin(), some.end());
  }
  return r;
}

TEST(CutGraph, IsAPermutationOfAnyGraph) {
  EXPECT_TRUE(rc::check("any reads, any number of clusters", [] {
    const CtaReads r = any_reads();
    const auto clusters = *rc::gen::inRange<std::uint32_t>(1, 40);
    const ReuseGraph g = reuse_graph(r, {.cluster = *rc::gen::inRange<std::uint64_t>(0, 20),
                                         .all_pairs = *rc::gen::inRange<std::uint32_t>(2, 40)});
    for (std::uint32_t v = 0; v < g.vertices(); ++v)
      for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e) {
        RC_ASSERT(g.end[e] != v);
        RC_ASSERT(weight(g, g.end[e], v) == g.weight[e]);
      }
    TaskOrder order = cut_graph(g, {.clusters = clusters});
    RC_ASSERT(order == cut_graph(g, {.clusters = clusters}));
    std::sort(order.begin(), order.end());
    for (std::uint32_t v = 0; v < order.size(); ++v) RC_ASSERT(order[v] == v);
  }));
}

TEST(Parts, BecomeExactAndNoWorseBySwaps) {
  EXPECT_TRUE(rc::check("any reads, any parts", [] {
    const ReuseGraph g = reuse_graph(any_reads());
    const auto n = *rc::gen::inRange<std::uint32_t>(1, 9);
    Parts parts(g.vertices());
    for (std::uint32_t& p : parts) p = *rc::gen::inRange<std::uint32_t>(0, n);
    const Clusters c{g.vertices(), n};
    std::vector<std::uint64_t> sizes;
    for (std::uint32_t i = 0; i < n; ++i) sizes.push_back(c.size(i));
    const auto counted = [&] {
      std::vector<std::uint64_t> counts(n);
      for (const std::uint32_t p : parts) ++counts[p];
      return counts;
    };
    const auto cut = [&] {
      std::uint64_t sum = 0;
      for (std::uint32_t v = 0; v < parts.size(); ++v)
        for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e)
          if (parts[v] != parts[g.end[e]]) sum += g.weight[e];
      return sum;
    };
    make_exact(g, sizes, parts);
    RC_ASSERT(counted() == sizes);
    const std::uint64_t before = cut();
    swap_for_less(g, 4, parts);
    std::vector<std::uint64_t> after = counted();
    std::sort(after.begin(), after.end(), std::greater<>());
    RC_ASSERT(after == sizes);
    RC_ASSERT(cut() <= before);
  }));
}

}  // namespace
}  // namespace heddle::cta_clustering
