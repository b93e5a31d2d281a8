// A ring: routers in a circle, neighbours joined by a link in each direction. Every router is a unit, every
// link a channel between two of them.
//
// Where things stand: clusters and L2 slices take turns around the ring, spread evenly; consecutive
// `ports_per_router` of them share a router. A packet goes the shorter way round; where both are equal, those
// of even routers go up and those of odd ones down, so that its way depends on its ports alone and packets
// from one input to one output keep their order.
//
// Packets are cut through: a packet follows its first flit in one piece, since the buffer at the end of a
// link has a place for all of it before it starts. It holds an input and an output of the router, and the
// link behind that, for `flits` network cycles: one flit per link and cycle. In every network cycle (tick) a
// router hands over complete packets, then allocates (each free input offers one packet that could go now,
// round-robin over its queues; each output takes the oldest of those, so that what is on the ring is not kept
// there by what wants to enter, and nobody starves), then reads what has arrived. So a packet that arrives in
// an empty router at tick t goes on at t + 1, and its first flit is at the next router `link_latency` core
// cycles later. With the core's clock:
//
//   latency inside = hops x (1 + link_latency) + 1 + flits
//
// A place at the end of a link is taken by sending a packet and given back when the packet goes on; of n
// places a link carries n packets in 2 x link_latency + 1 cycles, and one flit per cycle at most. Where
// places are flits, a packet takes one for each, and they are given back one per network cycle.
//
// Why it cannot deadlock: a packet that has started on a link never stops there, so what waits are only heads
// of queues, for a place in the next buffer. Each link has two virtual channels with buffers of their own. A
// packet enters the ring on 0, and takes 1 from the link on that joins the last router and the first (the
// dateline, of either direction). No packet uses 0 on the dateline, and none comes to it twice, having at
// most half of the ring to go. So, in the order of a direction's links from behind the dateline, buffers of
// 0 wait for later ones of 0 or for those of 1 at the dateline, these for later ones of 1, and the last for
// the router's outputs, which empty into the receivers: nothing waits in a circle.
#pragma once

#include <cstdint>
#include <memory>

#include "noc/topology.h"

namespace heddle::noc {

inline constexpr std::size_t kRingPorts = 1024;  // of each side

struct RingSpec {
  std::uint32_t ports_per_router = 1;  // of both kinds together
  std::uint32_t link_latency = 2;      // core cycles
  std::uint32_t link_buffer = 8;       // places per virtual channel, those on the wire included
  void fields(config::Reader& r);
};

std::shared_ptr<const Topology> read_ring(config::Reader& section);

}  // namespace heddle::noc
