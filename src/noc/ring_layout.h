// Which router of a ring a port belongs to, and which way packets take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "noc/topology.h"

namespace heddle::noc {

enum class Turn : std::uint8_t { Up, Down };  // to the router of the next number, or of the one before

class RingLayout {
 public:
  RingLayout(const NetworkPlace& place, std::uint32_t ports_per_router);

  std::uint32_t routers() const { return routers_; }
  std::uint32_t router_of_input(std::uint32_t port) const { return input_at_[port]; }
  std::uint32_t router_of_output(std::uint32_t port) const { return output_at_[port]; }

  std::uint32_t neighbour(std::uint32_t router, Turn turn) const {
    if (turn == Turn::Up) return router + 1 == routers_ ? 0 : router + 1;
    return router == 0 ? routers_ - 1 : router - 1;
  }
  // How a packet that enters at router `from` goes to another, and how many links that takes.
  Turn turn(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t up = upward(from, to), down = routers_ - up;
    return up < down || (up == down && from % 2 == 0) ? Turn::Up : Turn::Down;
  }
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t up = upward(from, to);
    return std::min(up, routers_ - up);
  }
  // Whether the link that leaves `router` joins the last one and the first.
  bool dateline(std::uint32_t router, Turn turn) const {
    return turn == Turn::Up ? router + 1 == routers_ : router == 0;
  }

 private:
  std::uint32_t upward(std::uint32_t from, std::uint32_t to) const {
    return to >= from ? to - from : to + routers_ - from;
  }
  std::uint32_t routers_ = 0;
  std::vector<std::uint32_t> input_at_, output_at_;
};

}  // namespace heddle::noc
