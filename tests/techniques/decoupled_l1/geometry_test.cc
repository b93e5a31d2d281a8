// Who uses which node, and which slices a node talks to: the design points of the paper's Table I.
#include "techniques/decoupled_l1/geometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "bench.h"

namespace heddle::decoupled_l1 {
namespace {

using hierarchy::L1Setting;

// 80 cores with a port each, 16 partitions of 2 slices.
class Cu80 : public testing::Test {
 protected:
  gpu::GpuSpec spec_ = gpu::spec_of("cu80", {"l1.index=linear"});
  mem::AddressMap map_{spec_.memory};
  L1Setting setting_ = spec_.l1_setting(map_);

  static DecoupledSpec design(std::uint32_t nodes, std::uint32_t clusters) {
    DecoupledSpec d;
    d.nodes = nodes;
    d.clusters = clusters;
    return d;
  }
  Geometry geometry(std::uint32_t nodes, std::uint32_t clusters) const {
    EXPECT_FALSE(Geometry::obstacle(design(nodes, clusters), setting_));
    return Geometry(design(nodes, clusters), setting_);
  }
  std::string refusal(std::uint32_t nodes, std::uint32_t clusters) const {
    const auto o = Geometry::obstacle(design(nodes, clusters), setting_);
    return o ? o->key + ": " + o->message : "";
  }
};

TEST_F(Cu80, PrivateNodesBelongToNeighbouringCores) {  // rule 7
  const Geometry g = geometry(40, 0);
  EXPECT_EQ(g.clusters(), 40u);
  EXPECT_EQ(g.share(32), 64u);
  for (std::uint32_t core = 0; core < 80; ++core)
    for (std::uint64_t line = 0; line < 100; ++line) EXPECT_EQ(g.node_of(core, line * 128), core / 2);
  EXPECT_EQ(g.layout().ports.size(), 40u);
  EXPECT_EQ(g.layout().parts, 1u);  // one 40 x 32 crossbar
}

TEST_F(Cu80, ALineHasOneHomeInTheWholeGpu) {  // rule 8
  const Geometry g = geometry(40, 1);
  std::map<std::uint32_t, int> lines;
  for (std::uint64_t line = 0; line < 8000; ++line) {
    const std::uint32_t home = g.node_of(0, line * 128);
    for (const std::uint32_t core : {1u, 39u, 79u}) EXPECT_EQ(g.node_of(core, line * 128), home);
    ++lines[home];
  }
  EXPECT_EQ(lines.size(), 40u);
  for (const auto& [home, n] : lines) EXPECT_EQ(n, 200);
  EXPECT_EQ(g.layout().parts, 1u);  // 40 nodes for 32 slices: one 40 x 32 crossbar
}

TEST_F(Cu80, ANodeTalksToItsOwnSlicesOnly) {  // rule 9: ten clusters of 8 x 4, four crossbars of 10 x 8
  const Geometry g = geometry(40, 10);
  const hierarchy::L1Layout layout = g.layout();
  ASSERT_EQ(layout.parts, 4u);
  ASSERT_EQ(layout.ports.size(), 40u);
  std::map<std::uint32_t, std::uint32_t> port_of;
  for (std::uint32_t p = 0; p < 40; ++p) {
    ASSERT_EQ(layout.ports[p].size(), 1u);
    port_of[layout.ports[p][0]] = p;
  }
  for (std::uint64_t line = 0; line < 4000; ++line)
    for (std::uint32_t core = 0; core < 80; core += 7) {
      const std::uint32_t node = g.node_of(core, line * 128);
      EXPECT_EQ(node / 4, core / 8);                              // its own cluster
      EXPECT_EQ(port_of[node] / 10, map_.slice(line * 128) / 8);  // the part that reaches the slice
    }
}

TEST_F(Cu80, AddressesWithinAHomeAreDense) {
  const mem::HomeMap by_slice(map_, 4), in_turns(map_, 40);
  for (const mem::HomeMap* homes : {&by_slice, &in_turns}) {
    std::map<std::uint32_t, std::set<std::uint64_t>> local;
    const std::uint64_t lines = 160 * 32;
    for (std::uint64_t line = 0; line < lines; ++line)
      local[homes->home(line * 128)].insert(homes->local(line * 128) / 128);
    for (const auto& [home, all] : local) {
      EXPECT_EQ(all.size(), lines / homes->homes());
      EXPECT_EQ(*all.rbegin(), lines / homes->homes() - 1);
    }
  }
}

TEST_F(Cu80, RefusesWhatTheRulesDoNotAllow) {
  EXPECT_THAT(refusal(100, 1), testing::HasSubstr("l1.decoupled.nodes: 100 nodes for 80 cores"));
  EXPECT_THAT(refusal(40, 3), testing::HasSubstr("do not divide into 3 clusters"));
  EXPECT_THAT(refusal(36, 12), testing::HasSubstr("80 cores do not divide into 12 clusters"));
  EXPECT_THAT(refusal(30, 0), testing::HasSubstr("do not divide"));
  EXPECT_THAT(refusal(30, 10), testing::HasSubstr("no whole number"));  // 3 homes for 32 slices
  EXPECT_EQ(refusal(40, 5), "");
  EXPECT_EQ(refusal(40, 20), "");
  EXPECT_THROW(gpu::spec_of("cu80", {"l1.organization=decoupled", "l1.decoupled.nodes=30",
                                     "l1.decoupled.clusters=10", "l1.index=linear"}),
               Error);
}

// Nodes of one cluster's cores share its port, so that what stands there (a merger) sees them all.
TEST(Nodes, KeepTheirClustersPort) {
  const gpu::GpuSpec spec = gpu::spec_of("clustered60");
  const mem::AddressMap map(spec.memory);
  DecoupledSpec d;
  d.clusters = 0;
  const hierarchy::L1Layout layout = Geometry(d, spec.l1_setting(map)).layout();
  ASSERT_EQ(layout.ports.size(), 12u);
  EXPECT_THAT(layout.ports[1], testing::ElementsAre(5, 6, 7, 8, 9));
}

}  // namespace
}  // namespace heddle::decoupled_l1
