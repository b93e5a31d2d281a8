// Where a mesh's routers stand, and who stands at which. Nodes are numbered row by row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "noc/mesh.h"

namespace heddle::noc {

class MeshLayout {
 public:
  MeshLayout(const MeshSpec& mesh, const NetworkPlace& place);

  // Why it cannot be; nothing: it can, and all below holds.
  const std::optional<Topology::Obstacle>& obstacle() const { return obstacle_; }

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  std::uint32_t nodes() const { return width_ * height_; }
  std::uint32_t x(std::uint32_t node) const { return node % width_; }
  std::uint32_t y(std::uint32_t node) const { return node / width_; }
  std::uint32_t distance(std::uint32_t a, std::uint32_t b) const;

  // By port of the network.
  const std::vector<std::uint32_t>& node_of_input() const { return input_at_; }
  const std::vector<std::uint32_t>& node_of_output() const { return output_at_; }
  // Nodes of the slices, in their order: the same for both directions.
  const std::vector<std::uint32_t>& slice_nodes() const { return request_ ? output_at_ : input_at_; }

 private:
  void choose_size(const MeshSpec& mesh, std::uint32_t cores, std::uint32_t slices);
  std::optional<Topology::Obstacle> check_list(const MeshSpec& mesh, std::uint32_t slices) const;
  // Nodes with slices, so many, in ascending order.
  std::vector<std::uint32_t> places_for(const MeshSpec& mesh, std::uint32_t n) const;
  std::vector<std::uint32_t> edge(std::uint32_t n) const;
  std::vector<std::uint32_t> diamond(std::uint32_t n) const;
  std::vector<std::uint32_t> checkerboard(std::uint32_t n) const;

  bool request_;
  std::uint32_t width_ = 0, height_ = 0;
  std::vector<std::uint32_t> input_at_, output_at_;
  std::optional<Topology::Obstacle> obstacle_;
};

}  // namespace heddle::noc
