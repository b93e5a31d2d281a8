// The crossbar under load: throughput known from the literature, and properties that hold for any traffic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "rig.h"

namespace heddle::noc {
namespace {

using sim::Cycle;

// Share of all output cycles that carry a flit, when every input always has a packet.
double throughput(RigOptions options, Cycle cycles,
                  const std::function<std::uint32_t(std::uint32_t)>& destination, std::uint16_t flits = 1) {
  Rig rig(options);
  const auto feed = [&](Cycle c) {
    for (std::uint32_t i = 0; i < options.inputs; ++i) rig.send(c, i, destination(i), flits);
  };
  rig.run(cycles / 4, feed);
  rig.network->clear_statistics();
  rig.run(cycles / 4 + cycles, feed);
  return static_cast<double>(rig.network->statistics().flits) / static_cast<double>(cycles * options.outputs);
}

TEST(CrossbarLoad, PermutationsUseAllOutputs) {
  for (std::uint32_t n : {8u, 64u, 80u, 132u, 256u})
    for (std::uint16_t flits : {1, 3}) {
      const double t = throughput(
          {.inputs = n, .outputs = n}, 400, [n](std::uint32_t i) { return (i + 7) % n; }, flits);
      EXPECT_GE(t, 0.99) << n << " ports, " << flits << " flits";
    }
}

// Karol, Hluchyj, Morgan, "Input versus output queueing on a space-division packet switch", IEEE Trans.
// Communications 35(12), 1987: 2 - sqrt(2) = 0.586 for many ports, one first-in-first-out queue per input.
TEST(CrossbarLoad, OneQueuePerInputSaturatesAtTheHeadOfLineLimit) {
  Random random(1);
  const double t =
      throughput({.inputs = 64, .outputs = 64}, 2000, [&](std::uint32_t) { return random.below(64); });
  EXPECT_NEAR(t, 0.586, 0.02);
}

// The same paper's Table I: two ports saturate at 0.75.
TEST(CrossbarLoad, TwoPortsSaturateAtThreeQuarters) {
  Random random(2);
  const double t =
      throughput({.inputs = 2, .outputs = 2}, 20000, [&](std::uint32_t) { return random.below(2); });
  EXPECT_NEAR(t, 0.75, 0.02);
}

// McKeown 1999: with virtual output queues iSLIP reaches full throughput for uniform traffic. Queues that
// several outputs share need more than one iteration: their requests change before the pointers spread.
TEST(CrossbarLoad, VirtualOutputQueuesLiftTheLimit) {
  double last = 0;
  for (std::uint32_t vcs : {1u, 4u, 32u}) {
    RigOptions o{.inputs = 32, .outputs = 32};
    o.spec.virtual_channels = vcs;
    o.spec.allocator_iterations = 4;
    o.spec.input_buffer = 256;  // long: a full virtual channel blocks its input
    Random random(3);
    const double t = throughput(o, 8000, [&](std::uint32_t) { return random.below(32); });
    EXPECT_GT(t, last + 0.05) << vcs;
    last = t;
  }
  EXPECT_GT(last, 0.9);
}

// What iterations are for: grants that were not accepted get another chance.
TEST(CrossbarLoad, IterationsMatchMore) {
  const auto with = [](std::uint32_t iterations) {
    RigOptions o{.inputs = 16, .outputs = 16};
    o.spec.virtual_channels = 16;
    o.spec.input_buffer = 1;  // short queues keep the pointers from spreading
    o.spec.allocator_iterations = iterations;
    Random random(4);
    return throughput(o, 2000, [&](std::uint32_t) { return random.below(16); });
  };
  EXPECT_GT(with(4), with(1) + 0.01);
}

struct Traffic {
  std::uint32_t inputs, outputs, vcs;
  Frequency clock;
  std::uint32_t one_in;  // a packet per input in so many cycles
};

class AnyTraffic : public testing::TestWithParam<Traffic> {
 protected:
  Rig simulate(Pace pace) {
    const Traffic& p = GetParam();
    RigOptions o{.inputs = p.inputs, .outputs = p.outputs};
    o.spec.virtual_channels = p.vcs;
    o.spec.input_buffer = 6;
    o.spec.output_buffer = 3;
    o.clock = sim::Clock(p.clock, 1400_MHz);
    o.out_capacity = 6;
    o.pace = pace;
    Rig rig(o);
    Random random(5);
    rig.run(600, [&](Cycle c) {
      if (c % 100 == 0) rig.drain(random.below(p.outputs), c % 200 != 0);  // outputs stop for a while
      for (std::uint32_t i = 0; i < p.inputs; ++i)
        if (random.below(p.one_in) == 0)
          rig.send(c, i, random.below(p.outputs), static_cast<std::uint16_t>(1 + random.below(5)));
    });
    for (std::uint32_t o2 = 0; o2 < p.outputs; ++o2) rig.drain(o2, true);
    rig.run(8000);
    return rig;
  }
};

TEST_P(AnyTraffic, NothingIsLostRepeatedOrReordered) {
  const Rig rig = simulate(Pace::Skip);
  const NetworkStats& s = rig.network->statistics();
  EXPECT_GT(rig.sent, 100u);
  EXPECT_EQ(rig.delivered.size(), rig.sent);
  EXPECT_EQ(s.injected, rig.sent);
  EXPECT_EQ(s.ejected, rig.sent);
  EXPECT_EQ(rig.network->in_flight(), 0u);
  EXPECT_EQ(rig.network->waits(), "");
  std::set<std::uint64_t> serials;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint64_t> last;
  for (const Delivery& d : rig.delivered) {
    EXPECT_TRUE(serials.insert(d.serial).second);
    std::uint64_t& before = last[{d.source, d.destination}];
    EXPECT_LT(before, d.serial);
    before = d.serial;
  }
}

TEST_P(AnyTraffic, SkippingIdleCyclesChangesNothing) {
  const Rig skipped = simulate(Pace::Skip);
  for (Pace pace : {Pace::EveryWindow, Pace::EveryCycle}) {
    const Rig stepped = simulate(pace);
    EXPECT_EQ(skipped.delivered, stepped.delivered);
    const NetworkStats &a = skipped.network->statistics(), &b = stepped.network->statistics();
    EXPECT_EQ(a.latency_sum, b.latency_sum);
    EXPECT_EQ(a.input_stalls, b.input_stalls);
    EXPECT_EQ(a.output_stalls, b.output_stalls);
    EXPECT_EQ(a.flits, b.flits);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AnyTraffic,
                         testing::Values(Traffic{12, 8, 1, 1400_MHz, 2}, Traffic{12, 8, 8, 1900_MHz, 3},
                                         Traffic{80, 64, 2, 1400_MHz, 20}, Traffic{64, 80, 4, 700_MHz, 40},
                                         Traffic{132, 96, 1, 1000_MHz, 60}, Traffic{1, 1, 1, 1400_MHz, 3},
                                         Traffic{5, 200, 3, 1400_MHz, 6}));

}  // namespace
}  // namespace heddle::noc
