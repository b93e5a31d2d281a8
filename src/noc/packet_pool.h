// The packets inside a network, in queues that pass them on by number: a packet is written once when it
// enters and copied once when it leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/packet.h"

namespace heddle::noc {

class PacketPool {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~0u;

  // What allocation needs to know of a packet; the packet itself is touched only when it enters and leaves.
  // Ticks are kept modulo 2^32: only differences are used.
  struct Link {
    Index next = kNone;          // in the packet's queue, or in the list of free places
    std::uint32_t entered = 0;   // read from the input's channel
    std::uint32_t complete = 0;  // its last flit is in the output
    std::uint16_t destination = 0, flits = 0;
  };
  struct Queue {
    Index head = kNone, tail = kNone;
    std::uint32_t count = 0;
    std::uint32_t since = 0;  // the owner's: from when on the head could move
  };

  Index take(const mem::Packet& packet, std::uint32_t entered) {
    Index p = free_;
    if (p == kNone) {
      p = static_cast<Index>(packets_.size());
      packets_.emplace_back();
      links_.emplace_back();
    } else {
      free_ = links_[p].next;
    }
    packets_[p] = packet;
    links_[p] = {kNone, entered, 0, packet.destination, packet.flits};
    return p;
  }
  // The place freed last is used first: few cache lines at low load.
  void give_back(Index p) {
    links_[p].next = free_;
    free_ = p;
  }

  void append(Queue& q, Index p) {
    links_[p].next = kNone;
    (q.count++ == 0 ? q.head : links_[q.tail].next) = p;
    q.tail = p;
  }
  Index remove_head(Queue& q) const {
    const Index p = q.head;
    q.head = links_[p].next;
    --q.count;
    return p;
  }

  const mem::Packet& packet(Index p) const { return packets_[p]; }
  Link& link(Index p) { return links_[p]; }
  const Link& link(Index p) const { return links_[p]; }

 private:
  std::vector<mem::Packet> packets_;
  std::vector<Link> links_;
  Index free_ = kNone;
};

}  // namespace heddle::noc
