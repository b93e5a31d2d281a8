// A crossbar: any inputs x outputs up to 256 ports a side, iSLIP allocation on bit masks.
// One unit.
//
// Time, in network cycles (ticks). A tick first completes crossings, then ejects, then allocates, then reads:
//   read      each input takes at most one packet from its wire into the buffer of its virtual channel
//             (destination % virtual_channels), where it has a place since it was sent. Virtual channels are
//             partial virtual output queues: with as many as outputs, no packet waits for one to another.
//   allocate  free outputs with room grant round-robin among the free inputs that have a packet for them at
//             the head of a virtual channel; inputs accept round-robin. Pointers move past the partner only
//             when a grant of the first iteration is accepted (McKeown, "The iSLIP scheduling algorithm",
//             IEEE/ACM ToN 7(2), 1999). A packet then holds its input and its output for `packet_setup` ticks
//             in which nothing crosses (a router that allocates a virtual channel before the switch), and for
//             `flits` ticks: packets do not interleave in an output. With `setup_ahead` the ticks that it has
//             waited in its buffer are among the former (a router in which any virtual channel is as good:
//             the next packet gets one while another crosses).
//   eject     an output hands over up to `ejection` complete packets in order while its channel has room.
//
// So a packet that arrives in an empty crossbar at tick t is read at t, allocated at t + 1, crosses in
// t + 1 + packet_setup and the ticks after it, and is handed over at tick t + 1 + packet_setup + flits: its
// latency inside is 1 + packet_setup + flits. An output's peak is one flit per tick. A place in the input
// buffer is given back at allocation; one in the output buffer is taken at allocation and free after
// ejection. Where places are flits, each of the input's is given back when its flit crosses, and an output
// whose turn it is for a packet that does not fit waits for the room, as a worm would that has begun to
// cross.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "noc/topology.h"

namespace heddle::noc {

inline constexpr std::size_t kCrossbarPorts = 256;  // of each side

// Beside those of NetworkSpec.
struct CrossbarSpec {
  std::uint32_t packet_setup = 0;  // ticks before a packet's first flit crosses
  bool setup_ahead = false;        // ticks that it has waited in its input's buffer are among them
  void fields(config::Reader& r);

  // When a packet is allocated that has waited for so many ticks.
  std::uint32_t setup_left(std::uint32_t waited) const {
    return setup_ahead ? packet_setup - std::min(packet_setup, waited) : packet_setup;
  }
};

// What its outputs lead to.
struct CrossbarOutputs {
  std::uint32_t first = 0;  // destination of packets for output 0
  std::uint32_t each = 1;   // destinations behind an output, where it leads `onward`
  // Into another crossbar: its channel has that one's virtual channels, and places of the same kind. A packet
  // keeps the virtual channel by which it entered the network and waits for its output in a queue by that
  // output (output % virtual_channels); its places are those of its virtual channel.
  bool onward = false;
};

// Adds itself to `engine`.
std::unique_ptr<Network> make_crossbar(const CrossbarSpec& own, const NetworkSpec& spec, sim::Clock clock,
                                       const Ports& ports, const CrossbarOutputs& outputs, std::string name,
                                       sim::Engine& engine);

std::shared_ptr<const Topology> read_crossbar(config::Reader& section);

}  // namespace heddle::noc
