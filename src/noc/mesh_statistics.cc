// What a mesh tells of itself.
#include <algorithm>

#include <fmt/format.h>

#include "noc/mesh_network.h"

namespace heddle::noc {
namespace {

constexpr const char* kSides[] = {"north", "east", "south", "west"};

}  // namespace

NetworkStats MeshNetwork::statistics() const {
  NetworkStats s = stats_;
  for (const OutputPort& out : out_)
    s.busiest_flits = std::max(s.busiest_flits, crossed_[out.router * outputs_ + out.port]);
  return s;
}

void MeshNetwork::collect(std::string_view network, stats::Groups& all) const {
  MeshStats s = mesh_stats_;
  for (std::uint32_t r = 0; r < routers_; ++r)
    for (std::uint32_t side = 0; side < kMeshSides; ++side) {
      const std::uint64_t n = crossed_[r * outputs_ + side];
      s.link_flits += n;
      s.busiest_link_flits = std::max(s.busiest_link_flits, n);
    }
  all.add(mesh_group(network), s);
  if (merger_ != nullptr) merger_->collect(all);
}

std::vector<LinkLoad> MeshNetwork::link_loads() const {
  std::vector<LinkLoad> all;
  for (std::uint32_t r = 0; r < routers_; ++r) {
    const std::uint32_t x = r % width_;
    const bool there[] = {r >= width_, x + 1 < width_, r + width_<routers_, x> 0};
    const std::uint32_t to[] = {r - width_, r + 1, r + width_, r - 1};
    for (std::uint32_t side = 0; side < kMeshSides; ++side)
      if (there[side])
        all.push_back(
            {fmt::format("router {} {}", r, kSides[side]), r, to[side], crossed_[r * outputs_ + side]});
  }
  return all;
}

void MeshNetwork::clear_statistics() {
  stats_ = {};
  mesh_stats_ = {};
  if (merger_ != nullptr) merger_->clear_statistics();
  std::fill(crossed_.begin(), crossed_.end(), 0);
}

std::string MeshNetwork::waits() const {
  std::string text;
  for (const Queue& q : queues_)
    if (q.packets != 0)
      text += fmt::format("router {}, {}, virtual channel {}: {} flits, the first for output {}\n", q.router,
                          q.own       ? std::string("packets that waited for others")
                          : q.at_port ? fmt::format("input {}", q.sender)
                                      : fmt::format("from the {}", kSides[q.input]),
                          q.channel, q.flits, pool_.link(q.packet).destination);
  keeping_.each([&](std::uint32_t r) {
    text += fmt::format("router {} keeps packets for others to go with them\n", r);
  });
  for (std::uint32_t o = 0; o < out_.size(); ++o)
    if (out_[o].packets.count != 0)
      text += fmt::format("output {} at router {}: {} packets ready for its channel\n", o, out_[o].router,
                          out_[o].packets.count);
  return text;
}

}  // namespace heddle::noc
