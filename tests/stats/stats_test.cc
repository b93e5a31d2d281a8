#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "check_declared.h"
#include "example_stats.h"
#include "stats/registry.h"

namespace heddle::stats {
namespace {

using testing::HasSubstr;

TEST(Stats, EveryDeclaredStatisticIsReported) {
  check_declared<MshrStats>();
  check_declared<L1Stats>();
}

TEST(Stats, SnapshotNamesGroupsAndFormulas) {
  L1Stats l1;
  l1.requests = 8;
  ++l1.hits;
  l1.hits += 1;
  l1.mshr.merged = 3;
  Snapshot snapshot;
  snapshot.add("l1", l1);
  EXPECT_EQ(snapshot.count("l1.hits"), 2u);
  EXPECT_EQ(snapshot.count("l1.mshr.merged"), 3u);
  EXPECT_EQ(std::get<double>(snapshot.find("l1.hit_rate")->reading), 0.25);
  EXPECT_EQ(snapshot.find("l1.hit_rate")->info.formula, "l1.hits / l1.requests");
  try {
    snapshot.count("l1.hit");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'l1.hits'?"));
  }
}

TEST(Stats, RatioOfNothingHasNoValue) {
  Snapshot snapshot;
  snapshot.add("l1", L1Stats{});
  EXPECT_TRUE(std::isnan(std::get<double>(snapshot.find("l1.hit_rate")->reading)));
}

TEST(Stats, PartsOfAMachineAddUp) {
  L1Stats a, b;
  a.hits = 3, b.hits = 4;
  a.mshr.most_used = 9, b.mshr.most_used = 5;
  a.latency.add(5), b.latency.add(35, 2);
  accumulate(a, b);
  EXPECT_EQ(a.hits, 7u);
  EXPECT_EQ(a.mshr.most_used, 9u);
  EXPECT_EQ(a.latency.bins[0], 1u);
  EXPECT_EQ(a.latency.bins[3], 2u);
  EXPECT_EQ(a.latency.sum, 75u);
  EXPECT_EQ(a.latency.largest, 35u);
}

TEST(Histogram, TheLastBinHoldsTheRest) {
  Histogram<4, 10> linear;
  for (const std::uint64_t s : {0, 9, 10, 39, 40, 1000}) linear.add(s);
  EXPECT_THAT(linear.bins, testing::ElementsAre(2, 1, 0, 3));
  Log2Histogram<5> doubling;
  for (const std::uint64_t s : {0, 1, 2, 3, 4, 7, 8, 15, 16, 1000}) doubling.add(s);
  EXPECT_THAT(doubling.bins, testing::ElementsAre(1, 1, 2, 2, 4));
  EXPECT_EQ(Log2Histogram<5>::lower_edge(4), 8u);
}

TEST(Registry, ExplainsStatistics) {
  Registry registry;
  registry.declare<L1Stats>("l1");
  EXPECT_EQ(registry.all().size(), 8u);
  EXPECT_EQ(registry.explain("l1.requests"),
            "l1.requests  (counter, requests)\n  Line requests that arrived\n  Nsight Compute: "
            "l1tex__t_requests.sum\n");
  EXPECT_THAT(registry.explain("l1.hit_rate"), HasSubstr("= l1.hits / l1.requests"));
  EXPECT_THAT(registry.explain("l1.mshr"), HasSubstr("l1.mshr.most_used"));
  EXPECT_THAT(registry.markdown(), HasSubstr("| `l1.hits` | counter | requests |"));
  EXPECT_THROW(registry.declare<L1Stats>("l1"), Error);
  EXPECT_THROW(registry.explain("l1.hitz"), Error);
}

}  // namespace
}  // namespace heddle::stats
