// A network carries packets from its inputs to its outputs: requests from clusters to L2 slices, or replies
// back. What is inside (a crossbar, a ring of routers) is the topology's business: noc/topology.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "mem/packet.h"
#include "sim/channel.h"
#include "sim/time.h"
#include "stats/groups.h"
#include "stats/visitor.h"

namespace heddle::noc {

using mem::Packet;
using PacketChannel = sim::Channel<Packet>;

class PacketMerging;
class Topology;

// What every network has, whatever its topology: the shape of packets, a clock, ports.
struct NetworkSpec {
  std::string topology = "crossbar";       // which kind (noc/topology.h)
  std::shared_ptr<const Topology> design;  // with the parameters of that kind, as they were read
  mem::PacketFormat packet;
  Frequency clock{};                // 0: the core's clock
  std::uint32_t input_buffer = 24;  // places per input port and virtual channel, those on the wire included
  std::uint32_t output_buffer = 8;  // places per output port; packet.buffers says of what
  std::uint32_t virtual_channels = 1;      // of an input port: destination % virtual_channels
  std::uint32_t ejection = 1;              // packets an output hands over per network cycle
  std::uint32_t allocator_iterations = 1;  // of topologies that have iSLIP allocators, per network cycle
  std::string merger = "none";             // in routers (noc/packet_merger.h)
  std::shared_ptr<const PacketMerging> merging = {};  // with its parameters; none: packets travel alone
};

// The network's clock in a machine whose cores run at `core`.
sim::Clock clock_of(const NetworkSpec& spec, Frequency core);

// Places that a wire of `wire` core cycles keeps busy, there and back, at one per network cycle.
std::uint32_t places_of_wire(const NetworkSpec& spec, Frequency core, std::uint32_t wire);

// Time is counted in network cycles here. From an empty network on, injected = ejected + in flight.
struct NetworkStats {
  std::uint64_t injected = 0, ejected = 0;  // packets
  std::uint64_t flits = 0;                  // that an output received or began to
  std::uint64_t input_stalls = 0;           // packets x cycles at the head of a queue inside, unable to move
  std::uint64_t output_stalls = 0;          // packets x cycles complete in an output, not handed over
  std::uint64_t latency_sum = 0;            // from injection to ejection, over ejected packets
  std::uint64_t busiest_flits = 0;          // of the output that received most
  void statistics(stats::Visitor& v);
  NetworkStats& operator+=(const NetworkStats& part);  // of the same network: the busiest of both
};

// A link inside a network, and what crossed it since statistics were cleared.
struct LinkLoad {
  std::string name;                // "router 3 east"
  std::uint32_t from = 0, to = 0;  // routers
  std::uint64_t flits = 0;
};

// The channels at a network's ports, indexed by port.
struct Ports {
  std::vector<PacketChannel*> in;
  std::vector<PacketChannel*> out;
};

// What a machine has of a network. The network consists of one or several units that its topology has added
// to the engine, and of channels between them; it owns both. The machine connects the ports' other ends.
//
// Its units honour room_at() of the outputs (back-pressure), take packets as they arrive and give the places
// of each back, in its virtual channel, when it leaves the input: at once, or where they are flits one per
// network cycle. Packets from one input to one output keep their order, but for reads where a merger holds
// them. Nothing is counted per cycle: results
// do not depend on how often run() is called with nothing to do. What a unit holds is told by its own
// waits().
class Network {
 public:
  Network() = default;
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  virtual sim::UnitId reader(std::uint32_t input) const = 0;   // of that port's channel
  virtual sim::UnitId writer(std::uint32_t output) const = 0;  // of that port's channel

  virtual NetworkStats statistics() const = 0;
  // What it counts beside: adds to the groups that its Topology declares, under the name `network`.
  virtual void collect(std::string_view, stats::Groups&) const {}
  // All links between its routers, always in the same order; networks without routers have none.
  virtual std::vector<LinkLoad> link_loads() const { return {}; }
  virtual void clear_statistics() = 0;
  // Packets inside, those on channels between its units included: 0 when the network is idle.
  virtual std::uint64_t in_flight() const = 0;
};

}  // namespace heddle::noc
