// What networks are built of (mem/structure.h), from their parameters.
#pragma once

#include <cstdint>

#include "mem/structure.h"
#include "noc/network.h"

namespace heddle::noc {

struct NetworkPlace;

// What the parameters of a network do not say of its buffers.
struct BufferPlan {
  std::uint32_t wire = 0;          // core cycles from the senders to its inputs
  std::uint32_t packet_flits = 1;  // of the packets that its buffers are made for
};

Frequency frequency_of(const NetworkSpec& spec, const NetworkPlace& place);

// Flits that so many places hold where they stand, which are counted from when a packet is sent: without
// those that a wire of `wire` core cycles keeps busy there and back at one per network cycle.
std::uint32_t flits_at_end(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan,
                           std::uint32_t places);

// A switch with the network's input buffers and output queues.
mem::CrossbarPart switch_part(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan,
                              std::uint32_t inputs, std::uint32_t outputs);

// One that joins all ports, in the middle of the die, with a link to each.
mem::Structure central_switch(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan);

}  // namespace heddle::noc
