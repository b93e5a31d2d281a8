// The crossbar's timing by the formulas of its header, and what happens when something is full.
#include "noc/crossbar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "rig.h"

namespace heddle::noc {
namespace {

using sim::Cycle;

std::vector<Cycle> times(const Rig& rig) {
  std::vector<Cycle> t;
  for (const Delivery& d : rig.delivered) t.push_back(d.sent);
  return t;
}

class Unloaded : public testing::TestWithParam<std::uint16_t> {};

TEST_P(Unloaded, LatencyIsOnePlusFlits) {
  const std::uint16_t flits = GetParam();
  Rig rig({});
  rig.run(400, [&](Cycle c) {
    if (c == 9) rig.send(c, 1, 2, flits);
  });
  const Cycle arrival = 9 + 4;  // the channel's latency is a window
  ASSERT_EQ(rig.delivered.size(), 1u);
  EXPECT_EQ(rig.delivered[0], (Delivery{arrival + 1 + flits, 1, 2, 1}));
  EXPECT_EQ(rig.network->statistics().latency_sum, 1u + flits);
  EXPECT_EQ(rig.network->statistics().flits, flits);
  EXPECT_EQ(rig.network->statistics().input_stalls, 0u);
  EXPECT_EQ(rig.network->statistics().output_stalls, 0u);
}
// 64 and more go round the wheel of crossings.
INSTANTIATE_TEST_SUITE_P(Flits, Unloaded, testing::Values(1, 2, 3, 5, 63, 64, 65, 129, 300));

TEST(Crossbar, OutputTakesOneFlitPerCycle) {
  Rig rig({});
  rig.run(100, [&](Cycle c) {
    if (c < 6) rig.send(c, 0, 3, 3);
  });
  std::vector<Cycle> expected;
  for (Cycle k = 0; k < 6; ++k) expected.push_back(4 + 1 + 3 * (k + 1));
  EXPECT_EQ(times(rig), expected);
}

TEST(Crossbar, PacketsFromTwoInputsDoNotInterleave) {
  Rig rig({});
  rig.run(40, [&](Cycle c) {
    if (c != 0) return;
    rig.send(c, 0, 1, 4);
    rig.send(c, 2, 1, 4);
  });
  EXPECT_EQ(times(rig), (std::vector<Cycle>{4 + 5, 4 + 9}));
  EXPECT_EQ(rig.network->statistics().input_stalls, 4u);  // the second waits for the first's four flits
}

TEST(Crossbar, InputSendsOnePacketAtATime) {
  RigOptions o;
  o.spec.virtual_channels = 4;
  Rig rig(o);
  rig.run(60, [&](Cycle c) {
    if (c == 0)
      for (std::uint32_t out = 0; out < 4; ++out) rig.send(c, 0, out, 5);
  });
  // One is read per cycle; each then holds the input for five.
  EXPECT_EQ(times(rig), (std::vector<Cycle>{4 + 6, 4 + 11, 4 + 16, 4 + 21}));
}

// With one queue a packet for a busy output keeps back the one behind it; with two they are apart.
TEST(Crossbar, VirtualChannelsPassBlockedHeads) {
  for (std::uint32_t vcs : {1u, 2u}) {
    RigOptions o;
    o.spec.virtual_channels = vcs;
    Rig rig(o);
    rig.run(100, [&](Cycle c) {
      if (c == 0) rig.send(c, 0, 0, 20);  // holds output 0 in 5 .. 24
      if (c == 1) rig.send(c, 1, 0, 1);
      if (c == 2) rig.send(c, 1, 1, 1);
    });
    std::map<std::uint64_t, Cycle> at;
    for (const Delivery& d : rig.delivered) at[d.serial] = d.sent;
    EXPECT_EQ(at[1], 4u + 21);
    EXPECT_EQ(at[2], 4u + 22);
    EXPECT_EQ(at[3], vcs == 1 ? 4u + 23 : 2u + 4 + 2);
  }
}

TEST(Crossbar, RoundRobinIsFairAmongInputs) {
  RigOptions o{.inputs = 12, .outputs = 8};
  Rig rig(o);
  rig.run(2000, [&](Cycle c) {
    for (std::uint32_t i = 0; i < 12; ++i) rig.send(c, i, 5);
  });
  std::vector<std::uint64_t> served(12);
  for (const Delivery& d : rig.delivered) ++served[d.source];
  const auto [least, most] = std::minmax_element(served.begin(), served.end());
  EXPECT_GT(*least, 100u);
  EXPECT_LE(*most - *least, 1u);
}

TEST(Crossbar, FullOutputKeepsPacketsAndOthersGoOn) {
  RigOptions o;
  o.out_capacity = o.spec.input_buffer = 16;
  o.spec.virtual_channels = 4;
  Rig rig(o);
  rig.drain(0, false);
  std::uint64_t to_zero = 0;
  rig.run(400, [&](Cycle c) {
    if (rig.send(c, 0, 0)) ++to_zero;
    rig.send(c, 1, 1);
  });
  EXPECT_EQ(to_zero, 16u + 8 + 16);  // the output's channel, its buffer, the input's buffer
  EXPECT_EQ(rig.network->in_flight(), rig.network->statistics().injected - rig.network->statistics().ejected);
  EXPECT_GT(rig.delivered.size(), 360u);
  EXPECT_THAT(rig.report(), testing::HasSubstr("input 0, virtual channel 0: 16 packets"));
  EXPECT_THAT(rig.report(), testing::HasSubstr("output 0: 8 packets, 8 of them ready"));
  rig.drain(0, true);
  rig.run(600);
  EXPECT_EQ(rig.delivered.size(), rig.sent);
  EXPECT_EQ(rig.network->in_flight(), 0u);
  EXPECT_EQ(rig.report(), "");
  EXPECT_GT(rig.network->statistics().output_stalls, 8u * 300);
}

// A setup of 2 ticks lies between packets of 3 flits, or is over by the time that the one before has crossed.
TEST(Crossbar, ASetupAheadIsBeforeTheFirstPacketOnly) {
  for (const bool ahead : {false, true}) {
    RigOptions o;
    o.spec = spec_of(ahead ? "crossbar.packet_setup = 2\ncrossbar.setup_ahead = true"
                           : "crossbar.packet_setup = 2");
    Rig rig(o);
    rig.run(100, [&](Cycle c) {
      if (c < 5) rig.send(c, 0, 3, 3);
    });
    std::vector<Cycle> expected;
    for (Cycle k = 0; k < 5; ++k) expected.push_back(4 + 1 + 2 + 3 + k * (ahead ? 3 : 5));
    EXPECT_EQ(times(rig), expected);
  }
}

TEST(Crossbar, EjectionHandsOverSeveralAfterAStall) {
  for (std::uint32_t ejection : {1u, 4u}) {
    RigOptions o;
    o.spec.ejection = ejection;
    o.out_capacity = 4;
    Rig rig(o);
    rig.drain(2, false);
    rig.run(80, [&](Cycle c) {
      if (c < 8) rig.send(c, 0, 2);
    });
    rig.drain(2, true);
    rig.run(200);
    // Four went at once; the other four when the channel was free again, one or four in a cycle.
    const std::vector<Cycle> t = times(rig);
    ASSERT_EQ(t.size(), 8u);
    EXPECT_EQ(t[7] - t[4], ejection == 1 ? 3u : 0u);
  }
}

// A place of an input is taken when a packet is sent; of n places, n packets in the time of the wire there
// and back, and a cycle in the buffer.
TEST(Crossbar, TheInputBufferLimitsWhatItsWireCarries) {
  for (const std::uint32_t vcs : {1u, 4u})
    for (const std::uint32_t places : {1u, 2u, 5u, 9u, 20u})
      for (const std::uint32_t used : {1u, vcs}) {
        RigOptions o;
        o.spec.input_buffer = places;
        o.spec.virtual_channels = vcs;
        Rig rig(o);
        std::uint32_t turn = 0;
        rig.run(2000, [&](Cycle c) { turn += rig.send(c, 1, turn % used) ? 1 : 0; });
        const double rate = std::min(1.0, used * places / (2.0 * static_cast<double>(o.window) + 1));
        EXPECT_NEAR(static_cast<double>(rig.delivered.size()), 2000 * rate, 20)
            << places << " places, " << used << " of " << vcs << " virtual channels";
      }
}

// While its channel takes nothing, as many cross as the output buffer holds, and one that the channel holds.
// Then what stands behind in the same virtual channel waits as well, wherever it goes.
TEST(Crossbar, TheOutputBufferHoldsWhatItsChannelDoesNotTake) {
  for (const std::uint32_t places : {1u, 2u, 8u}) {
    RigOptions o;
    o.out_capacity = 1;
    o.spec.output_buffer = places;
    Rig rig(o);
    rig.drain(0, false);
    rig.run(200, [&](Cycle c) {
      if (c < 2 + places) rig.send(c, 0, 0);  // one more than the output and its channel hold
      if (c == 40) rig.send(c, 0, 1);         // behind it
      if (c < 1 + places) rig.send(c, 1, 0);
    });
    const NetworkStats& s = rig.network->statistics();
    EXPECT_EQ(s.flits, 1 + places) << places;
    EXPECT_TRUE(rig.delivered.empty());
  }
}

TEST(Crossbar, OneOutputBufferStillReachesFullRate) {
  RigOptions o;
  o.spec.output_buffer = 1;
  Rig rig(o);
  rig.run(1000, [&](Cycle c) { rig.send(c, 1, 1); });
  EXPECT_GE(rig.delivered.size(), 1000u - 16);
}

TEST(Crossbar, ClocksHaveExactRatios) {
  struct Case {
    Frequency own, core;
    std::uint64_t expected;  // packets of one flit in 2,800 core cycles
  };
  for (const Case& k : {Case{1400_MHz, 1400_MHz, 2800}, Case{700_MHz, 1400_MHz, 1400},
                        Case{1900_MHz, 1400_MHz, 3800}, Case{1000_MHz, 1400_MHz, 2000}}) {
    RigOptions o;
    o.clock = sim::Clock(k.own, k.core);
    Rig rig(o);
    rig.run(2800, [&](Cycle c) {
      rig.send(c, 0, 0);
      rig.send(c, 0, 0);
    });
    EXPECT_LE(rig.delivered.size(), k.expected);
    EXPECT_GE(rig.delivered.size(), k.expected - 20);
  }
}

TEST(Crossbar, LatencyCountsCyclesOfItsOwnClock) {
  RigOptions o;
  o.clock = sim::Clock(700_MHz, 1400_MHz);
  Rig rig(o);
  rig.run(80, [&](Cycle c) {
    if (c == 5) rig.send(c, 0, 0, 3);
  });
  ASSERT_EQ(rig.delivered.size(), 1u);
  EXPECT_EQ(rig.delivered[0].sent, 2 * (5 + 1 + 3u));  // arrives in cycle 9: tick 5 begins in 10
  EXPECT_EQ(rig.network->statistics().latency_sum, 4u);
}

TEST(Crossbar, RefusesPortsItCannotHave) {
  for (std::uint32_t n : {0u, 257u}) {
    EXPECT_THROW(Rig({.inputs = n}), Error);
    EXPECT_THROW(Rig({.outputs = n}), Error);
  }
  EXPECT_NO_THROW(Rig({.inputs = 256, .outputs = 256}));
}

// A packet of n flits holds its input and its output n + packet_setup cycles, and its flits are counted as
// they are.
TEST(Crossbar, ASetupIsBeforeEveryPacket) {
  for (const Cycle setup : {0u, 1u, 3u}) {
    RigOptions o;
    o.spec = spec_of("crossbar.packet_setup = " + std::to_string(setup));
    Rig same(o), inputs(o);
    same.run(200, [&](Cycle c) {
      if (c < 6) same.send(c, 0, 3, 3);
    });
    inputs.run(200, [&](Cycle c) {
      if (c == 0)
        for (std::uint32_t i = 0; i < 4; ++i) inputs.send(c, i, 3, 3);
    });
    std::vector<Cycle> expected;
    for (Cycle k = 1; k <= 6; ++k) expected.push_back(4 + 1 + (setup + 3) * k);
    EXPECT_EQ(times(same), expected) << setup;
    EXPECT_EQ(same.network->statistics().flits, 18u);
    expected.resize(4);
    EXPECT_EQ(times(inputs), expected) << setup;
  }
}

// Places are flits: an output whose channel is closed holds what fits into it, and so does an input.
TEST(Crossbar, BuffersOfFlitsHoldWhatFits) {
  const auto sent = [](std::uint16_t flits, std::uint32_t input, std::uint32_t output) {
    RigOptions o;
    o.spec = spec_of("buffers = \"flits\"");
    o.spec.input_buffer = input;
    o.spec.output_buffer = output;
    o.out_capacity = 2;
    Rig rig(o);
    rig.drain(1, false);
    rig.run(500, [&](Cycle c) { rig.send(c, 0, 1, flits); });
    return rig.sent;
  };
  EXPECT_EQ(sent(1, 8, 24), 2u + 24 + 8);
  EXPECT_EQ(sent(5, 8, 24), 2u + 24 / 5 + 8 / 5);
  EXPECT_EQ(sent(5, 9, 24), sent(5, 8, 24));
  EXPECT_EQ(sent(5, 10, 24), sent(5, 8, 24) + 1);
  EXPECT_EQ(sent(5, 8, 25), sent(5, 8, 24) + 1);
}

// A flit's place is free when it crosses: a wire of 4 cycles with n places carries n flits in 2 x 4 + 1, of
// packets of any length.
TEST(Crossbar, PlacesOfFlitsCoverTheWire) {
  const auto carried = [](std::uint16_t flits, std::uint32_t places) {
    RigOptions o;
    o.spec = spec_of("buffers = \"flits\"");
    o.spec.input_buffer = places;
    Rig rig(o);
    rig.run(1800, [&](Cycle c) { rig.send(c, 0, 1, flits); });
    return rig.network->statistics().flits;
  };
  EXPECT_NEAR(static_cast<double>(carried(1, 3)), 1800.0 * 3 / 9, 10);
  EXPECT_NEAR(static_cast<double>(carried(1, 9)), 1800.0, 10);
  // Three flits, the last of which crosses two cycles after the first, and the way there and back.
  EXPECT_NEAR(static_cast<double>(carried(3, 3)), 1800.0 * 3 / (9 + 2), 10);
  EXPECT_NEAR(static_cast<double>(carried(3, 12)), 1800.0, 10);
}

}  // namespace
}  // namespace heddle::noc
