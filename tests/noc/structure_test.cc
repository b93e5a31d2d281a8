// What networks tell of their hardware (noc/structure.h).
#include <gtest/gtest.h>

#include "rig.h"

namespace heddle::noc {
namespace {

class NetworkStructure : public testing::Test {
 protected:
  mem::Structure of(const NetworkSpec& spec, std::uint32_t inputs, std::uint32_t outputs,
                    const BufferPlan& plan = {}) const {
    return spec.design->structure(spec, place_of(inputs, outputs, map), plan);
  }
  const mem::AddressMap map{mem::AddressMapSpec{}};
};

TEST_F(NetworkStructure, EveryTopologyHasAPortForEveryone) {
  for (const TopologyKind& kind : topologies()) {
    const NetworkSpec spec = spec_of("flit = \"40B\"\ntopology = \"" + std::string(kind.name) + "\"");
    const mem::Structure s = of(spec, 12, 8);
    std::uint32_t inputs = 0, outputs = 0;
    for (const mem::CrossbarPart& p : s.crossbars) {
      inputs += p.count * p.inputs;
      outputs += p.count * p.outputs;
      EXPECT_EQ(p.flit, 40_B) << kind.name;
      EXPECT_EQ(p.clock, 1400_MHz) << kind.name;
      EXPECT_GE(p.buffer_flits, 1) << kind.name;
    }
    EXPECT_GE(inputs, 12) << kind.name;
    EXPECT_GE(outputs, 8) << kind.name;
    EXPECT_EQ(inputs - 12, outputs - 8) << kind.name;  // those between switches
    for (const mem::LinkPart& p : s.links) EXPECT_EQ(p.width, 40_B) << kind.name;
  }
}

TEST_F(NetworkStructure, ACrossbarHasALinkToEveryone) {
  const NetworkSpec spec = spec_of("virtual_channels = 4\nclock = \"700MHz\"\nallocator_iterations = 2");
  const mem::Structure s = of(spec, 80, 32);
  ASSERT_EQ(s.crossbars.size(), 1);
  EXPECT_EQ(s.crossbars[0].inputs, 80);
  EXPECT_EQ(s.crossbars[0].outputs, 32);
  EXPECT_EQ(s.crossbars[0].virtual_channels, 4);
  EXPECT_EQ(s.crossbars[0].iterations, 2);
  EXPECT_EQ(s.crossbars[0].clock, 700_MHz);
  ASSERT_EQ(s.links.size(), 1);
  EXPECT_EQ(s.links[0].count, 112);
  EXPECT_EQ(s.links[0].length_mm, 0);
}

// Places are counted from when a packet is sent: a wire of 8 cycles has 8 packets of half the core's clock
// under way, there and back.
TEST_F(NetworkStructure, BuffersAreWhatTheWireLeaves) {
  NetworkSpec spec = spec_of("clock = \"700MHz\"\ninput_buffer = 12\noutput_buffer = 3");
  EXPECT_EQ(of(spec, 4, 4, {8, 1}).crossbars[0].buffer_flits, 4);
  EXPECT_EQ(of(spec, 4, 4, {8, 5}).crossbars[0].buffer_flits, 20);
  EXPECT_EQ(of(spec, 4, 4, {8, 5}).crossbars[0].output_flits, 15);
  EXPECT_EQ(of(spec, 4, 4, {0, 1}).crossbars[0].buffer_flits, 12);
  EXPECT_EQ(of(spec, 4, 4, {100, 1}).crossbars[0].buffer_flits, 1);  // not all of them are there at once
  spec.packet.buffers = mem::BufferUnit::Flits;
  EXPECT_EQ(of(spec, 4, 4, {8, 5}).crossbars[0].buffer_flits, 4);
  EXPECT_EQ(of(spec, 4, 4, {8, 5}).crossbars[0].output_flits, 3);
}

TEST_F(NetworkStructure, ARingHasTwoLinksPerRouter) {
  const NetworkSpec spec = spec_of("topology = \"ring\"");
  const mem::Structure s = of(spec, 12, 8);
  std::uint32_t routers = 0;
  for (const mem::CrossbarPart& p : s.crossbars) {
    routers += p.count;
    EXPECT_EQ(p.inputs + p.outputs, 2 * 2 + 1);  // two neighbours, and a cluster or a slice
    EXPECT_EQ(p.virtual_channels, 2);
  }
  EXPECT_EQ(routers, 20);
  ASSERT_EQ(s.links.size(), 1);
  EXPECT_EQ(s.links[0].count, 40);
  EXPECT_DOUBLE_EQ(s.links[0].reach, 4.0 / 20);
  const NetworkSpec one = spec_of("topology = \"ring\"\nring.ports_per_router = 8");
  EXPECT_TRUE(of(one, 4, 4).links.empty());
}

// The paper's 80 cores and 32 slices in 10 clusters: 10 of 8 x 4, 4 of 10 x 8, and what each stage's clock
// is.
TEST_F(NetworkStructure, AHierarchyHasTwoKindsOfCrossbars) {
  const NetworkSpec spec = spec_of(
      "topology = \"hierarchical\"\nclock = \"700MHz\"\nhierarchical.clusters = 10\nhierarchical.links = 4\n"
      "hierarchical.near_boost = 2\nhierarchical.link_latency = 8\nhierarchical.link_buffer = 20");
  const mem::Structure there = of(spec, 80, 32, {8, 1});
  const mem::Structure back =
      spec.design->structure(spec, place_of(32, 80, map, {}, Direction::Reply), {8, 1});
  ASSERT_EQ(there.crossbars.size(), 2);
  ASSERT_EQ(back.crossbars.size(), 2);
  const auto is = [](const mem::CrossbarPart& p, std::uint32_t count, std::uint32_t in, std::uint32_t out,
                     Frequency clock, std::uint32_t flits) {
    EXPECT_EQ(p.count, count);
    EXPECT_EQ(p.inputs, in);
    EXPECT_EQ(p.outputs, out);
    EXPECT_EQ(p.clock, clock);
    EXPECT_EQ(p.buffer_flits, flits);
  };
  is(there.crossbars[0], 10, 8, 4, 1400_MHz, 24 - 16);
  is(there.crossbars[1], 4, 10, 8, 700_MHz, 20 - 8);
  is(back.crossbars[0], 4, 8, 10, 700_MHz, 24 - 8);
  is(back.crossbars[1], 10, 4, 8, 1400_MHz, 20 - 16);
  ASSERT_EQ(there.links.size(), 3);
  EXPECT_EQ(there.links[0].count, 80);
  EXPECT_LT(there.links[0].reach, there.links[1].reach);  // within a cluster
  EXPECT_EQ(there.links[1].count, 40);
  EXPECT_EQ(there.links[2].count, 32);
  EXPECT_LT(back.links[2].reach, back.links[1].reach);
}

}  // namespace
}  // namespace heddle::noc
