// A network carries packets from its inputs to its outputs: requests from clusters to memory partitions, or
// replies back. It is one unit; what is inside (a crossbar, a mesh) is the topology's business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/reader.h"
#include "mem/request.h"
#include "sim/channel.h"
#include "sim/unit.h"
#include "stats/visitor.h"

namespace heddle::noc {

struct Packet {
  mem::Request request;
  std::uint16_t source = 0;       // input port
  std::uint16_t destination = 0;  // output port
  std::uint16_t flits = 1;
  std::uint16_t reserved = 0;
};

struct NetworkSpec {
  Bytes flit = Bytes{32};           // channel width: bytes per network cycle
  Bytes header = Bytes{8};          // of every packet
  Frequency clock{};                // 0: the core's clock
  std::uint32_t input_buffer = 8;   // packets per input port and virtual channel
  std::uint32_t output_buffer = 8;  // packets per output port
  std::uint32_t virtual_channels = 1;
  std::uint32_t allocator_iterations = 1;  // of iSLIP per cycle
  std::uint32_t ejection = 1;              // packets an output hands over per network cycle
  void fields(config::Reader& r);
};

// flits = ceil((header + data) / width).
std::uint32_t flits(const NetworkSpec& spec, const mem::Request& request);

struct NetworkStats {
  std::uint64_t packets = 0, flits = 0, injected = 0, ejected = 0;
  std::uint64_t input_stalls = 0;  // cycles in which a packet at the head of an input could not move
  std::uint64_t latency_sum = 0;   // cycles from injection to ejection, over packets
  std::uint64_t busy_output_cycles = 0;
  void statistics(stats::Visitor& v);
};

using PacketChannel = sim::Channel<Packet>;

// The contract of every topology. Inputs are read from `in` channels, outputs written to `out` channels, both
// given at construction and indexed by port; the unit honours can_send() of its outputs (back-pressure) and
// leaves packets in a full input's channel.
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

// noc/crossbar.h: any inputs x outputs, multi-flit packets (a packet holds its input and output for `flits`
// network cycles), virtual channels at the inputs, iSLIP allocation on bit masks.
std::unique_ptr<Network> make_crossbar(const NetworkSpec& spec, sim::Clock clock, const Ports& ports,
                                       std::string name);

}  // namespace heddle::noc
