// The crossbar under load: throughput known from the literature.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heddle::noc
