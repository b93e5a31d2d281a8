// Which way packets take through a mesh, and in which virtual channels.
#pragma once

#include <cstdint>

#include "noc/mesh.h"
#include "noc/mesh_layout.h"

namespace heddle::noc {

// The first ports of every router, in and out: the side at which the link is. Ports of the network follow.
enum MeshSide : std::uint8_t { kNorth, kEast, kSouth, kWest, kMeshSides };

constexpr std::uint32_t opposite(std::uint32_t side) {
  return side ^ 2;
}

// The way of a packet, decided when it enters.
struct MeshWay {
  std::uint16_t x = 0, y = 0;  // of the router with its output
  std::uint8_t port = 0;       // its output there
  bool y_first = false;
  // Of links that it may use: `channels` of them from `channel` on.
  std::uint8_t channel = 0, channels = 1;
};

// The output port at router (x, y).
constexpr std::uint32_t side_to(const MeshWay& way, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t across = way.x > x ? kEast : kWest, along = way.y > y ? kSouth : kNorth;
  if (way.x == x) return way.y == y ? way.port : along;
  return way.y == y || !way.y_first ? across : along;
}

// How packets are given ways. o1turn (Seo et al., ISCA 2005) sends half of them by each order of dimensions;
// each half has half of the virtual channels.
class MeshRoutes {
 public:
  MeshRoutes(const MeshSpec& mesh, std::uint32_t virtual_channels)
      : routing_(mesh.routing), any_(mesh.vc_assignment == VcAssignment::Any), channels_(virtual_channels) {}

  // Decides the order of dimensions and the channels of a packet. `turn`: alternates from packet to packet of
  // an input. Where order counts, both ends decide instead, by a hash: sums, differences and remainders are
  // what traffic patterns and floor plans are made of (all outputs of a column have one remainder).
  void choose(MeshWay& way, std::uint32_t input, std::uint32_t output, bool turn) const {
    const std::uint32_t pair = hash(input, output);
    const bool classes = routing_ == MeshRouting::O1Turn;
    way.y_first = classes ? (any_ ? turn : pair >> 31 != 0) : routing_ == MeshRouting::YX;
    const std::uint32_t half = channels_ / 2;
    const std::uint32_t first = classes && way.y_first ? half : 0;
    const std::uint32_t n = !classes ? channels_ : way.y_first ? channels_ - half : half;
    way.channel = static_cast<std::uint8_t>(any_ ? first : first + pair % n);
    way.channels = static_cast<std::uint8_t>(any_ ? n : 1);
  }

 private:
  static std::uint32_t hash(std::uint32_t input, std::uint32_t output) {
    std::uint32_t h = input * 0x9E3779B9u ^ (output + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
  }

  MeshRouting routing_;
  bool any_;
  std::uint32_t channels_;
};

}  // namespace heddle::noc
