// A mesh: routers in a grid, neighbours joined by a link in each direction, wormhole switching at flit level.
// One unit for the whole network: a tick touches only routers at which something can happen.
//
// A router queues flits at its inputs: `virtual_channels` queues of `vc_buffer` flits at each link; at a port
// of the network the channel's places are the buffer (noc/network.h), and all flits of a packet are there
// when it arrives. In ticks (network cycles), the head of a packet that is first in its queue
//
//   is routed                        routing_delay        by coordinates: xy, yx or o1turn (mesh_routes.h)
//   is given an output's queue       vc_delay             iSLIP between queues and queues; at a port of the
//                                                         network, with room in the output for all of it
//   is given the switch              switch_delay         iSLIP between inputs and outputs, flit by flit
//   crosses the switch               crossing_delay
//   crosses the link                 link_delay           only between routers
//
// and the other flits follow one per tick. A stage of 0 ticks takes place in the same tick as the next one;
// switch_delay is at least 1, so a hop is, too. vc_delay is the time from the grant on (BookSim 2), or with
// vc_timing = "before_request" that before the head asks (BookSim 1): one that had to wait for a channel then
// goes on at once. In an empty network:
//
//   latency inside = routers x (routing + vc + switch + crossing) + links x link + flits - 1
//
// with a router more than links; and more for packets that are longer than vc_buffer, where that does not
// cover the time there and back.
//
// A flit leaves its queue when it is given the switch; its place can be used by the sender
// 1 + link_delay + credit_delay ticks later. The next packet of the queue is routed from the tick after the
// tail's on: with one virtual channel, packets of one flit pass an input every max(1, routing + vc + 1)
// ticks at best. An output's queue is free for another packet when the tail has left for it, or with
// wait_for_tail_credit when the tail has left it.
//
// Order. With vc_assignment = "destination" a packet's queue at every link and its way follow from its input
// and its output: packets from one to one other stand behind each other everywhere and keep their order.
// "any" takes every free queue and gives that up; a machine's networks refuse it, since atomics of a thread
// could change places.
//
// Why it cannot deadlock: xy (yx) uses no link of the first dimension after one of the second, so links can
// be numbered such that every packet takes ascending ones. o1turn gives both kinds of ways queues of their
// own. A packet that keeps the switch (hold_grant) loses it when it cannot use it, so that no link is kept
// from others by a packet that waits. A packet takes its place in an output as a whole before it is given the
// switch there, so that outputs always empty.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "noc/topology.h"

namespace heddle::noc {

inline constexpr std::size_t kMeshPorts = 1024;         // of each side
inline constexpr std::uint32_t kMeshChannels = 64;      // virtual ones, of a link
inline constexpr std::uint32_t kMeshConcentration = 8;  // ports of a side at a router

enum class MeshRouting : std::uint8_t { XY, YX, O1Turn };
enum class MeshPlacement : std::uint8_t { Edge, Diamond, Checkerboard, Tiled, List };
enum class VcAssignment : std::uint8_t { Destination, Any };
enum class VcDelay : std::uint8_t { AfterGrant, BeforeRequest };

struct MeshSpec {
  std::uint32_t width = 0, height = 0;  // routers; 0: the smallest that holds all sites, nearly square
  std::uint32_t concentration = 1;      // sites of a router: clusters, slices
  MeshPlacement placement = MeshPlacement::Edge;
  std::vector<std::uint32_t> slice_nodes;  // of List
  MeshRouting routing = MeshRouting::XY;
  VcAssignment vc_assignment = VcAssignment::Destination;
  VcDelay vc_timing = VcDelay::AfterGrant;
  std::uint32_t vc_buffer = 8;  // flits
  std::uint32_t routing_delay = 1, vc_delay = 1, switch_delay = 1, crossing_delay = 1, link_delay = 1;
  std::uint32_t credit_delay = 1;
  std::uint32_t input_speedup = 1;
  bool wait_for_tail_credit = false;
  bool hold_grant = false;
  void fields(config::Reader& r);
};

// What a mesh counts beside NetworkStats.
struct MeshStats {
  std::uint64_t packets = 0, hops = 0;   // that entered, and links between routers on their ways
  std::uint64_t link_flits = 0;          // flits x links that they crossed
  std::uint64_t busiest_link_flits = 0;  // of the link with most
  void statistics(stats::Visitor& v);
};
// The group of those, of a network whose own is `network`.
std::string mesh_group(std::string_view network);

std::shared_ptr<const Topology> read_mesh(config::Reader& section);

}  // namespace heddle::noc
