// A direct link by the formulas of its header.
#include "noc/link.h"

#include <gtest/gtest.h>

#include "rig.h"

namespace heddle::noc {
namespace {

using sim::Cycle;

std::vector<Cycle> times_of(const Rig& rig) {
  std::vector<Cycle> t;
  for (const Delivery& d : rig.delivered) t.push_back(d.sent);
  return t;
}

RigOptions link(const char* toml = "") {
  RigOptions o{.inputs = 1, .outputs = 1, .spec = spec_of(toml)};
  o.direct_links = true;
  return o;
}

TEST(Link, LatencyIsItsFlits) {
  for (const std::uint16_t flits : {1, 2, 5, 300}) {
    Rig rig(link("crossbar.packet_setup = 3\ninput_buffer = 300"));
    rig.run(400, [&](Cycle c) {
      if (c == 9) rig.send(c, 0, 0, flits);
    });
    ASSERT_EQ(rig.delivered.size(), 1u);
    EXPECT_EQ(rig.delivered[0], (Delivery{9 + 4 + Cycle{flits}, 0, 0, 1}));
    EXPECT_EQ(rig.network->statistics().latency_sum, flits);
    EXPECT_EQ(rig.network->statistics().flits, flits);
    EXPECT_EQ(rig.network->statistics().input_stalls, 0u);
    EXPECT_EQ(rig.network->in_flight(), 0u);
  }
}

TEST(Link, CarriesAFlitPerTick) {
  for (const auto& [clock, ticks] : {std::pair{sim::Clock{}, 1u}, {sim::Clock(700_MHz, 1400_MHz), 2u}}) {
    RigOptions o = link();
    o.clock = clock;
    Rig rig(o);
    rig.run(200, [&](Cycle c) {
      if (c < 6) rig.send(c, 0, 0, 3);
    });
    std::vector<Cycle> expected;
    for (Cycle k = 0; k < 6; ++k) expected.push_back(4 + ticks * 3 * (k + 1));
    EXPECT_EQ(times_of(rig), expected);
    EXPECT_EQ(rig.network->statistics().input_stalls, 0u);
  }
}

// What the receiver has no room for stays in the input's channel.
TEST(Link, StopsForItsReceiver) {
  for (const bool every_cycle : {false, true}) {
    RigOptions o = link("input_buffer = 16");
    o.out_capacity = 5;
    o.every_cycle = every_cycle;
    Rig rig(o);
    rig.drain(0, false);
    rig.run(100, [&](Cycle c) { rig.send(c, 0, 0); });
    EXPECT_EQ(rig.sent, 5u + 16);
    EXPECT_EQ(rig.network->in_flight(), 0u);
    rig.drain(0, true);
    rig.run(300);
    EXPECT_EQ(rig.delivered.size(), rig.sent);
    for (std::size_t k = 0; k < rig.delivered.size(); ++k) EXPECT_EQ(rig.delivered[k].serial, k + 1);
    EXPECT_GT(rig.network->statistics().input_stalls, 80u);
  }
}

// Places that are flits come back one per tick.
TEST(Link, GivesPlacesOfFlitsBackAsTheyPass) {
  Rig rig(link("buffers = \"flits\"\ninput_buffer = 5"));
  rig.run(200, [&](Cycle c) { rig.send(c, 0, 0, 5); });
  const std::vector<Cycle> at = times_of(rig);
  ASSERT_GT(at.size(), 3u);
  // The last of five places is free four ticks after the packet has begun; the news and the next packet take
  // the wire's 4 cycles each.
  for (std::size_t k = 1; k < at.size(); ++k) EXPECT_EQ(at[k] - at[k - 1], 4u + 2 * 4);
}

}  // namespace
}  // namespace heddle::noc
