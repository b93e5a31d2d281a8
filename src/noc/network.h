// A network carries packets from its inputs to its outputs: requests from clusters to memory partitions, or
// replies back. It is one unit; what is inside (a crossbar, a mesh) is the topology's business.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/reader.h"
#include "mem/packet.h"
#include "sim/channel.h"
#include "sim/unit.h"
#include "stats/visitor.h"

namespace heddle::noc {

using mem::Packet;

struct NetworkSpec {
  std::string topology = "crossbar";  // a name of noc/topology.h
  mem::PacketFormat packet;
  Frequency clock{};                // 0: the core's clock
  std::uint32_t input_buffer = 24;  // packets per input port and virtual channel, those on the wire included
  std::uint32_t output_buffer = 8;  // packets per output port
  std::uint32_t virtual_channels = 1;
  std::uint32_t allocator_iterations = 1;  // of iSLIP per cycle
  std::uint32_t ejection = 1;              // packets an output hands over per network cycle
  void fields(config::Reader& r);
};

// The network's clock in a machine whose cores run at `core`.
sim::Clock clock_of(const NetworkSpec& spec, Frequency core);

// Time is counted in network cycles here. From an empty network on, injected = ejected + in flight.
struct NetworkStats {
  std::uint64_t injected = 0, ejected = 0;  // packets
  std::uint64_t flits = 0;                  // that crossed or began to
  std::uint64_t input_stalls = 0;   // packets x cycles at the head of a virtual channel, unable to move
  std::uint64_t output_stalls = 0;  // packets x cycles complete in an output, not handed over
  std::uint64_t latency_sum = 0;    // from injection to ejection, over ejected packets
  std::uint64_t output_cycles = 0;  // outputs x cycles in which an output received a flit
  void statistics(stats::Visitor& v);
};

using PacketChannel = sim::Channel<Packet>;

// The contract of every topology. Inputs are read from `in` channels, outputs written to `out` channels, both
// given at construction and indexed by port. The unit honours room_at() of its outputs (back-pressure), takes
// packets as they arrive and gives the place of each back, in its virtual channel, when it leaves the input.
// Packets from one input to one output keep their order. Nothing is
// counted per cycle of its own: results do not depend on how often run() is called with nothing to do.
class Network : public sim::Unit {
 public:
  virtual const NetworkStats& statistics() const = 0;
  virtual void clear_statistics() = 0;
  virtual std::uint64_t in_flight() const = 0;  // packets inside: 0 at a kernel's end
};

struct Ports {
  std::vector<PacketChannel*> in;
  std::vector<PacketChannel*> out;
};

}  // namespace heddle::noc
