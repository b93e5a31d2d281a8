// Launches that are made several times have the result of one; their times; what a rewriter changes.
#include <numeric>

#include "techniques/cta_clustering/clustering_rewriter.h"
#include "tests/card/simulated_card.h"

namespace heddle::card {
namespace {

using testing::Each;
using testing::Gt;
using testing::SizeIs;
using workload::DevicePtr;

TEST(LaunchTimes, MedianLeastMost) {
  const LaunchTimes odd{{5, 1, 9}}, even{{4, 1, 2, 9}};
  EXPECT_EQ(odd.median(), 5);
  EXPECT_EQ(even.median(), 3);
  EXPECT_EQ(even.least(), 1);
  EXPECT_EQ(even.most(), 9);
  KernelTimes k;
  k.timed = {odd, even};
  EXPECT_EQ(k.span().median, 8);
  EXPECT_EQ(k.span().least, 2);
  EXPECT_EQ(k.span().most, 18);
}

std::uint32_t calls(CardDevice& device) {
  return device.download<std::uint32_t>(device.symbol("calls"), 1).front();
}

TEST(CardTiming, RepeatedLaunchesHaveTheResultOfOne) {
  CardDevice device(simulated_driver(), {.repeat = 5, .warm_up = 2, .timed_launches = 2});
  device.load_module(increment_ptx(), "increment.ptx");
  const DevicePtr a = device.allocate(1000 * 4, "a");
  for (std::uint32_t i = 1; i <= 4; ++i) {
    device.launch(increment(a, 1000));
    EXPECT_THAT(device.download<std::uint32_t>(a, 1000), Each(i));
    EXPECT_EQ(calls(device), 16 * i);
  }
  device.execute(increment(a, 1000));
  EXPECT_EQ(calls(device), 16u * 5);
  ASSERT_THAT(device.kernels(), SizeIs(1));
  const KernelTimes& k = device.kernels().front();
  EXPECT_EQ(k.kernel, "increment");
  EXPECT_EQ(k.launches, 4u);
  EXPECT_EQ(k.rewritten, 0u);
  EXPECT_GT(k.ctas_per_sm, 0u);
  ASSERT_THAT(k.timed, SizeIs(2));
  EXPECT_THAT(k.timed[0].microseconds, SizeIs(5));
  EXPECT_THAT(k.timed[0].microseconds, Each(Gt(0)));
}

TEST(CardTiming, OnceIsOnce) {
  CardDevice device(simulated_driver(), {.repeat = 1});
  device.load_module(increment_ptx(), "increment.ptx");
  device.launch(increment(device.allocate(400, "a"), 100));
  EXPECT_EQ(calls(device), 2u);
  EXPECT_THAT(device.kernels().front().timed.at(0).microseconds, SizeIs(1));
}

TEST(CardTiming, MemoryThatComesAndGoes) {
  CardDevice device(simulated_driver(), {.repeat = 3});
  device.load_module(increment_ptx(), "increment.ptx");
  for (std::uint32_t i = 0; i < 3; ++i) {
    const DevicePtr a = device.upload(std::vector<std::uint32_t>(100, i), "a");
    device.launch(increment(a, 100));
    EXPECT_THAT(device.download<std::uint32_t>(a, 100), Each(i + 1));
    device.release(a);
  }
}

TEST(CardTiming, RewrittenKernelsHaveTheSameResult) {
  using cta_clustering::Order;
  using cta_clustering::Way;
  for (const Way way : {Way::Redirection, Way::Agents})
    for (const std::uint32_t active : {0u, 1u}) {
      cta_clustering::ClusteringSpec spec;
      spec.way = way;
      spec.active_agents = active;
      CardDevice device(simulated_driver(), {.repeat = 3, .timed_launches = 2},
                        std::make_unique<cta_clustering::ClusteringRewriter>(spec, 4));
      device.load_module(increment_ptx(), "increment.ptx");
      const DevicePtr a = device.allocate(5000 * 4, "a");
      for (std::uint32_t i = 1; i <= 3; ++i) {
        device.launch(increment(a, 5000));
        EXPECT_THAT(device.download<std::uint32_t>(a, 5000), Each(i));
      }
      const KernelTimes& k = device.kernels().front();
      EXPECT_EQ(k.rewritten, 3u);
      EXPECT_EQ(k.first.grid, (workload::Dim3{79, 1, 1}));
      EXPECT_EQ(calls(device), 3u * 79);
    }
}

}  // namespace
}  // namespace heddle::card
