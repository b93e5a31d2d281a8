// A router of a ring (noc/ring.h): two links in, two links out, and the ports that stand here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "noc/network.h"
#include "noc/packet_pool.h"
#include "noc/ring_layout.h"
#include "sim/unit.h"

namespace heddle::noc {

inline constexpr std::uint32_t kRingVirtualChannels = 2;  // of a link

// A packet on a link.
struct RingHop {
  Packet packet;
  std::uint32_t entered = 0;  // tick in which the network read it, modulo 2^32
  std::uint32_t vc = 0;       // of the link
};
using RingLink = sim::Channel<RingHop>;

class RingRouter final : public sim::Unit {
 public:
  struct Wires {
    std::array<RingLink*, 2> in = {}, out = {};  // by the direction of travel; none in a ring of one router
    std::vector<PacketChannel*> in_ports;
    struct OutPort {
      std::uint32_t port;
      PacketChannel* channel;
    };
    std::vector<OutPort> out_ports;
  };
  RingRouter(const NetworkSpec& spec, sim::Clock clock, const RingLayout& layout, std::uint32_t number,
             std::uint32_t network_outputs, const Wires& wires, std::string name);

  sim::Cycle run(sim::Cycle from, sim::Cycle until) override;
  std::string name() const override { return name_; }
  std::string waits() const override;

  const NetworkStats& statistics() const { return stats_; }
  void clear_statistics() {
    stats_ = {};
    for (Output& out : outputs_) out.crossed = 0;
  }
  // Flits that left by the link of that direction since statistics were cleared.
  std::uint64_t crossed(Turn turn) const { return outputs_[static_cast<std::size_t>(turn)].crossed; }
  // Packets that came in by a port less those that went out by one, of all time: of all routers together,
  // what is inside the ring.
  std::int64_t balance() const { return balance_; }

 private:
  using Tick = std::uint64_t;
  using Index = PacketPool::Index;
  static constexpr std::uint32_t kLinks = 2;  // the first outputs, and the first inputs

  struct Queue : PacketPool::Queue {
    std::uint32_t output = 0;   // of the head
    std::uint32_t next_vc = 0;  // of the head, where its output is a link
  };
  struct Input {
    RingLink* link = nullptr;  // one of the two
    PacketChannel* port = nullptr;
    sim::Cycle arrival = sim::kNever;  // of the next packet in the channel
    std::uint32_t first = 0, queues = 0;
    std::uint32_t turn = 0;  // queue that is asked first
    Tick free_at = 0;
    std::uint32_t offers = 0;  // in allocate(): one of its queues
  };
  struct Output {
    RingLink* link = nullptr;  // one of the two
    PacketChannel* port = nullptr;
    Tick free_at = 0;
    PacketPool::Queue packets;                // of a port; the last may not be wholly there
    std::uint32_t places = 0;                 // of the output buffer that they take
    std::uint64_t crossed = 0;                // flits, since statistics were cleared
    std::uint32_t taken = PacketPool::kNone;  // in allocate(): the input that it takes from
  };

  sim::Cycle next_arrival(const Input& in) const {
    return in.link != nullptr ? in.link->next_arrival() : in.port->next_arrival();
  }
  // Packets of an output port that are wholly there.
  static std::uint32_t complete(const Output& out, Tick t) {
    return out.packets.count - (out.packets.count != 0 && out.free_at > t ? 1 : 0);
  }
  // Whether the head of `a` entered the ring before that of `b`.
  bool older(const Queue& a, const Queue& b) const {
    return static_cast<std::int32_t>(pool_.link(a.head).entered - pool_.link(b.head).entered) < 0;
  }
  void eject(Tick t, sim::Cycle cycle);
  void allocate(Tick t, sim::Cycle cycle);
  void offer(std::uint32_t input, Tick t);
  void cross(std::uint32_t input, std::uint32_t output, Tick t, sim::Cycle cycle);
  void read(Tick t, sim::Cycle cycle);
  void route(const Input& in, std::uint32_t queue);
  void give_back(const Input& in, std::uint32_t queue, std::uint32_t flits, Tick t);
  // Of the head of a queue, in a buffer.
  std::uint32_t places_of(const PacketPool::Queue& q) const {
    return spec_.packet.places(pool_.link(q.head).flits);
  }
  Tick movable_at(const Input& in, const Queue& q) const;
  Tick following(Tick t) const;

  NetworkSpec spec_;
  sim::Clock clock_;
  const RingLayout& layout_;
  std::uint32_t number_;
  std::string name_;
  NetworkStats stats_;
  std::int64_t balance_ = 0;
  bool busy_ = false;          // this tick moved something, so the next one may, too
  std::uint32_t waiting_ = 0;  // packets in queues

  std::vector<Input> inputs_;  // links, then ports
  std::vector<Queue> queues_;
  std::vector<Output> outputs_;            // links, then ports
  std::vector<std::uint16_t> output_for_;  // by destination, for what enters here
  std::vector<std::uint32_t> asked_;       // in allocate(): outputs with offers
  PacketPool pool_;
};

}  // namespace heddle::noc
