// What a crossbar knows of its ports.
#pragma once

#include <cstdint>

#include "noc/network.h"
#include "noc/packet_pool.h"
#include "noc/port_set.h"

namespace heddle::noc {

template <unsigned Words>
struct CrossbarInput {
  PacketChannel* channel = nullptr;
  sim::Cycle arrival = sim::kNever;  // of the next packet in the channel
  PortSet<Words> grants;             // outputs that granted in this iteration
  std::uint32_t accept_at = 0;       // round-robin pointer over outputs
};

template <unsigned Words>
struct CrossbarOutput {
  PacketChannel* channel = nullptr;
  PortSet<Words> requests;  // inputs with a packet for it at the head of a virtual channel
  PacketPool::Queue queue;
  std::uint32_t complete = 0;  // packets of `queue` that are wholly there
  std::uint32_t flits = 0;     // of `queue`, where buffers count them
  std::uint32_t grant_at = 0;  // round-robin pointer over inputs
  std::uint64_t free_at = 0;   // tick
  std::uint64_t crossed = 0;   // flits, since statistics were cleared
  std::uint16_t sender = 0;    // input that crosses to it now

  // Of the output buffer that are taken.
  std::uint32_t places(bool in_flits) const { return in_flits ? flits : queue.count; }
};

}  // namespace heddle::noc
