// A lite core (rule 1): an SM without an L1. What its load/store unit sends goes over NoC#1 to the node that
// is the line's home.
#pragma once

#include <cstdint>
#include <string>

#include "hierarchy/core.h"
#include "mem/l1_port.h"
#include "mem/packet.h"
#include "sim/channel.h"
#include "techniques/decoupled_l1/geometry.h"

namespace heddle::decoupled_l1 {

class LiteCore final : public hierarchy::Core, private mem::L1Port {
 public:
  using Packets = sim::Channel<mem::Packet>;
  // `l1`: what load fronts may know of the node.
  LiteCore(const sm::SmSpec& spec, std::uint32_t sm, const hierarchy::L1Setting& setting,
           const Geometry& geometry, const mem::PacketFormat& format, Packets& to_node, Packets& from_node,
           const sm::FrontL1& l1);

 private:
  void receive(sim::Cycle now) override;
  sim::Cycle next_answer(sim::Cycle now) const override;
  Answer access(sim::Cycle now, const mem::Request& request) override;
  sim::Cycle retry_at(sim::Cycle now) const override { return retry_ <= now ? now + 1 : retry_; }
  void forget_clean(sim::Cycle) override {}  // the nodes keep what they hold

  const Geometry& geometry_;
  const mem::PacketFormat format_;
  Packets& out_;
  Packets& in_;
  sim::Cycle retry_ = 0;       // of what was refused
  std::uint16_t full_vc_ = 0;  // its virtual channel and places
  std::uint32_t wanted_ = 0;   // 0: nothing was refused since the last step
};

}  // namespace heddle::decoupled_l1
