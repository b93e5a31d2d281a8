// The Detector: how long a packet is held at each router of its way.
#include "techniques/packet_coalescing/detector.h"

#include <gtest/gtest.h>

#include "tests/stats/check_declared.h"

namespace heddle::packet_coalescing {
namespace {

TEST(PacketCoalescingStats, Declared) {
  stats::check_declared<PacketCoalescingStats>();
}

// Holds of a packet alone, router by router.
std::vector<std::uint32_t> holds(const PacketCoalescingSpec& spec, std::uint16_t hops,
                                 std::uint8_t ready_warps = 0) {
  PacketCoalescingStats stats;
  noc::HeadFlit head;
  head.hops = hops;
  head.ready_warps = ready_warps;
  std::vector<std::uint32_t> all;
  for (head.hop = 1; head.hop <= hops; ++head.hop) {
    Detector at_this_router(spec, 1);
    all.push_back(at_this_router.hold(head, 100, stats));
    head.slack = static_cast<std::uint16_t>(head.slack - std::min<std::uint32_t>(head.slack, all.back()));
  }
  return all;
}

using Ticks = std::vector<std::uint32_t>;

// Equation 1: of 5 x 4 cycles one part of ten, then two, three and four.
TEST(Detector, DynamicHoldsLongerNearTheController) {
  EXPECT_EQ(holds({}, 4), (Ticks{2, 4, 6, 8}));
  EXPECT_EQ(holds({}, 1), (Ticks{5}));
}

TEST(Detector, DynamicHoldsAsLongInAllAsFixed) {
  for (const std::uint32_t delay : {0u, 1u, 5u, 7u, 100u})
    for (std::uint16_t hops = 1; hops <= 20; ++hops) {
      const Ticks dynamic = holds({.delay_per_hop = delay}, hops);
      std::uint32_t sum = 0;
      for (std::uint32_t h = 0; h < hops; ++h) {
        sum += dynamic[h];
        EXPECT_NEAR(dynamic[h], 2.0 * delay * (h + 1) / (hops + 1), 1) << hops << ' ' << h;
      }
      EXPECT_EQ(sum, delay * hops);
    }
}

TEST(Detector, FixedHoldsAsLongEverywhere) {
  EXPECT_EQ(holds({.hold = Hold::Fixed, .delay_per_hop = 3}, 4), (Ticks{3, 3, 3, 3}));
}

TEST(Detector, SlackIsWhatReadyWarpsHide) {
  const PacketCoalescingSpec spec{.hold = Hold::Slack, .warp_cycles = 4, .history_least = 0};
  EXPECT_EQ(holds(spec, 4, 0), (Ticks{0, 0, 0, 0}));
  EXPECT_EQ(holds(spec, 4, 2), (Ticks{1, 2, 2, 3}));    // 8 cycles
  EXPECT_EQ(holds(spec, 4, 100), (Ticks{2, 4, 6, 8}));  // no longer than dynamic
}

TEST(Detector, SlackIsSpentWhereRequestsToARowFollowEachOther) {
  const PacketCoalescingSpec spec{.hold = Hold::Slack, .warp_cycles = 4, .history_window = 10};
  PacketCoalescingStats stats;
  Detector d(spec, 2);
  const auto hold = [&](std::uint32_t bank, std::uint64_t row, std::uint64_t now) {
    noc::HeadFlit head;
    head.row = row;
    head.bank = bank;
    head.hop = head.hops = 1;
    head.ready_warps = 1;
    return d.hold(head, now, stats);
  };
  EXPECT_EQ(hold(0, 7, 100), 0u);
  EXPECT_EQ(hold(0, 7, 110), 0u);  // follows once
  EXPECT_EQ(hold(0, 7, 120), 4u);  // twice
  EXPECT_EQ(hold(1, 7, 121), 0u);  // another bank has a history of its own
  EXPECT_EQ(hold(0, 8, 122), 0u);  // another row
  EXPECT_EQ(hold(0, 8, 132), 4u);
  EXPECT_EQ(hold(0, 8, 143), 0u);  // too late
  EXPECT_EQ(stats.unlikely, 5u);
}

}  // namespace
}  // namespace heddle::packet_coalescing
