// The hierarchical crossbar by the formulas of its header.
#include "noc/hierarchical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/error.h"
#include "rig.h"

namespace heddle::noc {
namespace {

using sim::Cycle;
using testing::HasSubstr;

// So many cores and slices; inputs are those of the direction.
struct Hierarchy {
  std::uint32_t cores = 8, slices = 4, clusters = 0, links = 0;
  std::string more = "";
  Direction direction = Direction::Request;

  RigOptions options() const {
    const bool request = direction == Direction::Request;
    RigOptions o{.inputs = request ? cores : slices, .outputs = request ? slices : cores};
    o.direction = direction;
    o.spec = spec_of(
        fmt::format("topology = \"hierarchical\"\nhierarchical.clusters = {}\nhierarchical.links = {}\n{}",
                    clusters, links, more));
    return o;
  }
};

NetworkPlace place(const RigOptions& o, const mem::AddressMap& map) {
  return place_of(o.inputs, o.outputs, map, o.clock, o.direction);
}

// Flits per network cycle that leave when every input always sends to every output alike.
double saturated(RigOptions o, std::uint16_t flits = 1) {
  o.spec.virtual_channels = 16;
  o.out_capacity = 256;
  Rig rig(o);
  Random random(3);
  const auto feed = [&](Cycle c) {
    for (std::uint32_t i = 0; i < o.inputs; ++i)
      for (int twice = 0; twice < 2; ++twice) rig.send(c, i, random.below(o.outputs), flits);
  };
  rig.run(2000, feed);
  rig.network->clear_statistics();
  rig.run(8000, feed);
  return static_cast<double>(rig.network->statistics().flits) / 6000 * static_cast<double>(o.clock.cycles()) /
         static_cast<double>(o.clock.ticks());
}

TEST(Hierarchical, GroupsByDefault) {
  EXPECT_EQ(default_groups(1), 1u);
  EXPECT_EQ(default_groups(2), 1u);
  EXPECT_EQ(default_groups(4), 2u);
  EXPECT_EQ(default_groups(13), 1u);
  EXPECT_EQ(default_groups(32), 4u);
  EXPECT_EQ(default_groups(80), 8u);
  EXPECT_EQ(default_groups(1024), 32u);
}

// Every pair of ports, alone, in both directions: 2 x (1 + packet_setup + flits) + link_latency.
TEST(Hierarchical, UnloadedLatency) {
  for (const Direction direction : {Direction::Request, Direction::Reply})
    for (const auto& [cores, slices, clusters, links] :
         {std::tuple{8u, 4u, 2u, 2u}, {6u, 10u, 3u, 5u}, {5u, 4u, 5u, 4u}, {3u, 7u, 1u, 1u}})
      for (const std::uint32_t setup : {0u, 2u})
        for (const std::uint16_t flits : {1, 5, 70}) {
          const RigOptions o =
              Hierarchy{cores,
                        slices,
                        clusters,
                        links,
                        fmt::format("hierarchical.link_latency = 7\nhierarchical.packet_setup = {}", setup),
                        direction}
                  .options();
          Rig rig(o);
          constexpr Cycle kApart = 400;
          const std::uint32_t pairs = o.inputs * o.outputs;
          rig.run((pairs + 1) * kApart, [&](Cycle c) {
            const auto n = static_cast<std::uint32_t>(c / kApart);
            if (c % kApart == 0 && n < pairs) rig.send(c, n % o.inputs, n / o.inputs, flits);
          });
          ASSERT_EQ(rig.delivered.size(), pairs);
          for (const Delivery& d : rig.delivered)
            EXPECT_EQ(d.sent - ((d.serial - 1) * kApart + 4), 2 * (1 + setup + flits) + 7);
          EXPECT_EQ(rig.network->statistics().latency_sum, pairs * (2 * (1 + setup + flits) + 7));
        }
}

// A boosted stage takes half the time, and the other as long as before.
TEST(Hierarchical, BoostShortensItsStage) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  const auto cycles = [&](const char* boost, Direction direction) {
    RigOptions o = Hierarchy{8, 4, 2, 2, boost, direction}.options();
    o.clock = sim::Clock(700_MHz, 1400_MHz);
    Rig rig(o);
    constexpr Cycle kApart = 200;
    rig.run(33 * kApart, [&](Cycle c) {
      const auto n = static_cast<std::uint32_t>(c / kApart);
      if (c % kApart == 0 && n < 32) rig.send(c, n % o.inputs, n / o.inputs, 4);
    });
    EXPECT_EQ(rig.delivered.size(), 32u);
    Cycle sum = 0;
    for (const Delivery& d : rig.delivered) sum += d.sent - ((d.serial - 1) * kApart + 4);
    // All arrive in phase with the network's clock, where the mean over phases has half a cycle more.
    EXPECT_NEAR(o.spec.design->unloaded(o.spec, place(o, map), 4), static_cast<double>(sum) / 32, 0.51);
    return static_cast<double>(sum) / 32;
  };
  for (const Direction d : {Direction::Request, Direction::Reply}) {
    EXPECT_DOUBLE_EQ(cycles("", d), 10 + 4 + 10);
    EXPECT_NEAR(cycles("hierarchical.near_boost = 2", d), 5 + 4 + 10, 1.01);
    EXPECT_NEAR(cycles("hierarchical.far_boost = 2", d), 5 + 4 + 10, 1.01);
    EXPECT_DOUBLE_EQ(cycles("hierarchical.near_boost = 2\nhierarchical.far_boost = 2", d), 5 + 4 + 5);
  }
}

// What is narrow decides: 8 cores, 2 x 2 links, 4 slices. A boost of one stage does not widen links, whose
// other end is as slow as before; one of both does.
TEST(Hierarchical, BothStagesMustBeBoostedToCarryMore) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  for (const Direction d : {Direction::Request, Direction::Reply}) {
    const auto rate = [&](const char* boost) {
      RigOptions o = Hierarchy{16, 8, 2, 2, boost, d}.options();
      o.clock = sim::Clock(350_MHz, 1400_MHz);
      const double flits = saturated(o, 3);
      EXPECT_LE(flits, 1.01 * o.spec.design->peak_flits(place(o, map))) << boost;
      return flits;
    };
    const double plain = rate("");
    EXPECT_GT(plain, 3.4);  // of 4
    EXPECT_NEAR(rate("hierarchical.near_boost = 2"), plain, 0.15 * plain);
    EXPECT_NEAR(rate("hierarchical.near_boost = 2\nhierarchical.far_boost = 2"), 2 * plain, 0.1 * plain);
  }
}

TEST(Hierarchical, PeakIsTheNarrowest) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  const auto peak = [&](const Hierarchy& h) {
    const RigOptions o = h.options();
    return o.spec.design->peak_flits(place(o, map));
  };
  EXPECT_EQ(peak({80, 32, 10, 4}), 32);
  EXPECT_EQ(peak({80, 32, 10, 2}), 20);
  EXPECT_EQ(peak({80, 32, 10, 2, "hierarchical.far_boost = 2"}), 20);
  EXPECT_EQ(peak({80, 32, 10, 4, "hierarchical.far_boost = 2", Direction::Reply}), 40);
  EXPECT_EQ(peak({80, 32, 10, 4, "hierarchical.near_boost = 2\nhierarchical.far_boost = 2"}), 64);
}

// A slice that takes nothing stops its own packets only as long as queues and places are by output: with
// enough virtual channels packets to other links go on.
TEST(Hierarchical, AClosedOutputLeavesOtherLinksOpen) {
  RigOptions o = Hierarchy{4, 4, 2, 2}.options();
  o.spec.virtual_channels = 4;
  Rig rig(o);
  rig.drain(0, false);
  rig.run(4000, [&](Cycle c) {
    rig.send(c, 0, 0);
    rig.send(c, 0, 2);
  });
  std::uint64_t others = 0;
  for (const Delivery& d : rig.delivered) others += d.destination == 2 ? 1 : 0;
  EXPECT_GT(others, 3800u);
}

TEST(Hierarchical, RefusesWhatDoesNotDivide) {
  const auto error = [](const Hierarchy& h) -> std::string {
    try {
      Rig rig(h.options());
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(error({8, 4, 3, 2}), HasSubstr("3 crossbars cannot have as many of 8 ports of cores each"));
  EXPECT_THAT(error({8, 4, 3, 2}), HasSubstr("divisor of 8"));
  EXPECT_THAT(error({8, 4, 2, 3}), HasSubstr("4 L2 slices"));
  EXPECT_THAT(error({8, 4, 2, 3, "", Direction::Reply}), HasSubstr("4 L2 slices"));
  EXPECT_THAT(error({514, 4, 2, 2}), HasSubstr("257 ports at a side"));
  EXPECT_EQ(error({8, 4, 8, 4}), "");
  EXPECT_EQ(error({13, 7}), "");
}

TEST(Hierarchical, SaysItsShape) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  const auto shape = [&](const Hierarchy& h) {
    const RigOptions o = h.options();
    return o.spec.design->shape(place(o, map));
  };
  EXPECT_EQ(shape({80, 32, 10, 4}), "crossbars 10 of 8 x 4, then 4 of 10 x 8");
  EXPECT_EQ(shape({80, 32, 10, 4, "hierarchical.near_boost = 2", Direction::Reply}),
            "crossbars 4 of 8 x 10, then 10 of 4 x 8 at 2x clock");
}

}  // namespace
}  // namespace heddle::noc
