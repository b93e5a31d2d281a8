// Where a mesh's routers, clusters and slices stand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "mesh_rig.h"

namespace heddle::noc {
namespace {

TEST(MeshLayout, NearlySquareAndLargeEnough) {
  const auto size = [](std::uint32_t cores, std::uint32_t slices, const std::string& toml = "") {
    const MeshLayout l = layout_of(toml, cores, slices);
    EXPECT_FALSE(l.obstacle());
    return std::pair(l.width(), l.height());
  };
  EXPECT_EQ(size(28, 8), std::pair(6u, 6u));
  EXPECT_EQ(size(12, 8), std::pair(5u, 4u));
  EXPECT_EQ(size(1, 1), std::pair(2u, 1u));
  EXPECT_EQ(size(80, 64), std::pair(12u, 12u));
  EXPECT_EQ(size(64, 64, "placement = \"tiled\""), std::pair(8u, 8u));
  EXPECT_EQ(size(28, 8, "concentration = 4"), std::pair(3u, 3u));
  EXPECT_EQ(size(28, 8, "width = 12"), std::pair(12u, 3u));
  EXPECT_EQ(size(28, 8, "height = 2"), std::pair(18u, 2u));
}

TEST(MeshLayout, EveryPlacementHasRoomForAllAndBothDirectionsAgree) {
  for (const char* placement : {"edge", "diamond", "checkerboard", "tiled"})
    for (const std::uint32_t each : {1u, 3u})
      for (const auto& [cores, slices] : {std::pair{28u, 8u}, {5u, 200u}, {60u, 4u}, {1u, 1u}, {16u, 16u}}) {
        const std::string toml = fmt::format("placement = \"{}\"\nconcentration = {}", placement, each);
        const MeshLayout there = layout_of(toml, cores, slices),
                         back = layout_of(toml, cores, slices, Direction::Reply);
        ASSERT_FALSE(there.obstacle()) << toml;
        EXPECT_EQ(there.node_of_input(), back.node_of_output());
        EXPECT_EQ(there.node_of_output(), back.node_of_input());
        EXPECT_EQ(there.slice_nodes(), back.slice_nodes());
        std::map<std::uint32_t, std::uint32_t> cores_at, slices_at;
        for (const std::uint32_t n : there.node_of_input()) ++cores_at[n];
        for (const std::uint32_t n : there.node_of_output()) ++slices_at[n];
        for (const auto& [node, n] : cores_at) {
          EXPECT_LT(node, there.nodes());
          EXPECT_LE(n, each);
          EXPECT_TRUE(std::string_view(placement) == "tiled" || !slices_at.contains(node));
        }
        for (const auto& [node, n] : slices_at) EXPECT_LE(n, each) << node << toml;
      }
}

TEST(MeshLayout, Placements) {
  using testing::ElementsAre;
  // Two of a diamond in every row and column.
  const MeshLayout diamond = layout_of("width = 8\nheight = 8\nplacement = \"diamond\"", 48, 16);
  std::map<std::uint32_t, int> rows, columns;
  for (const std::uint32_t n : diamond.slice_nodes()) {
    ++rows[diamond.y(n)];
    ++columns[diamond.x(n)];
  }
  for (std::uint32_t k = 0; k < 8; ++k) {
    EXPECT_EQ(rows[k], 2);
    EXPECT_EQ(columns[k], 2);
  }
  EXPECT_THAT(layout_of("width = 4\nheight = 4", 12, 4).slice_nodes(), ElementsAre(1, 3, 13, 15));
  EXPECT_THAT(layout_of("width = 4\nheight = 4\nplacement = \"checkerboard\"", 8, 8).slice_nodes(),
              ElementsAre(1, 3, 4, 6, 9, 11, 12, 14));
  // As Bakhoda et al. have them (ISPASS 2009); cores fill the rest in order.
  const MeshLayout list =
      layout_of("placement = \"list\"\nslice_nodes = [3, 7, 10, 12, 23, 25, 28, 32]", 28, 8);
  ASSERT_FALSE(list.obstacle());
  EXPECT_THAT(list.slice_nodes(), ElementsAre(3, 7, 10, 12, 23, 25, 28, 32));
  EXPECT_THAT(std::vector(list.node_of_input().begin(), list.node_of_input().begin() + 5),
              ElementsAre(0, 1, 2, 4, 5));
  double links = 0;
  for (const std::uint32_t a : list.node_of_input())
    for (const std::uint32_t b : list.node_of_output()) links += list.distance(a, b);
  EXPECT_NEAR(links / (28 * 8), 3.86, 0.005);
}

TEST(MeshLayout, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& toml, std::uint32_t cores, std::uint32_t slices) {
    const MeshLayout l = layout_of(toml, cores, slices);
    return l.obstacle() ? fmt::format("{}: {}", l.obstacle()->key, l.obstacle()->message) : "";
  };
  EXPECT_THAT(refused("width = 3\nheight = 3", 8, 2),
              testing::StartsWith("mesh.width: a mesh of 3 x 3 has 9 routers, and 8 ports of cores and 2"));
  EXPECT_THAT(refused("placement = \"list\"\nslice_nodes = [1, 9]", 7, 2),
              testing::HasSubstr("node 9 is not in a mesh of 3 x 3"));
  EXPECT_THAT(refused("placement = \"list\"\nslice_nodes = [1, 1]", 7, 2), testing::HasSubstr("twice"));
  EXPECT_THAT(refused("placement = \"list\"\nslice_nodes = [1]", 7, 2),
              testing::HasSubstr("1 nodes for 2 L2 slices"));
  EXPECT_EQ(refused("placement = \"list\"\nslice_nodes = [1]\nconcentration = 2", 7, 2), "");
}

}  // namespace
}  // namespace heddle::noc
