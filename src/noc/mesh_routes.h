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

  // `turn`: alternates from packet to packet of an input. Where order counts, both ends decide instead: by a
  // hash, since sums and differences are what traffic patterns are made of.
  bool y_first(std::uint32_t input, std::uint32_t output, bool turn) const {
    if (routing_ != MeshRouting::O1Turn) return routing_ == MeshRouting::YX;
    if (any_) return turn;
    std::uint32_t h = input * 0x9E3779B9u + output * 0x85EBCA6Bu;
    h ^= h >> 15;
    return (h * 0x2C1B3C6Du) >> 31 != 0;
  }
  void choose_channels(MeshWay& way, std::uint32_t output) const {
    const std::uint32_t half = channels_ / 2;
    const bool classes = routing_ == MeshRouting::O1Turn;
    const std::uint32_t first = classes && way.y_first ? half : 0;
    const std::uint32_t n = !classes ? channels_ : way.y_first ? channels_ - half : half;
    way.channel = static_cast<std::uint8_t>(any_ ? first : first + output % n);
    way.channels = static_cast<std::uint8_t>(any_ ? n : 1);
  }

 private:
  MeshRouting routing_;
  bool any_;
  std::uint32_t channels_;
};

}  // namespace heddle::noc
