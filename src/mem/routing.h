// Where packets go: which port of the networks belongs to whom.
//
// Clusters stand at the inputs of the request network and at the outputs of the reply network, L2 slices at
// the other sides. A cluster's port has the cluster's number, a slice's port the slice's GPU-wide number; the
// slice of an address, and the partition of a slice, are the address map's.
#pragma once

#include <cstdint>

#include "mem/packet.h"
#include "mem/request.h"

namespace heddle::mem {

constexpr std::uint16_t port_of_cluster(std::uint32_t cluster) {
  return static_cast<std::uint16_t>(cluster);
}
constexpr std::uint16_t port_of_slice(std::uint32_t slice) {
  return static_cast<std::uint16_t>(slice);
}

// The virtual channel of a reply in the reply network's input, which has `virtual_channels`.
constexpr std::uint16_t reply_channel(const Request& reply, std::uint32_t virtual_channels) {
  return virtual_channel(port_of_cluster(reply.cluster), virtual_channels);
}

// Makes a packet of the request in it, which knows its cluster and its slice.
constexpr void address_request(Packet& p, const PacketFormat& format, std::uint32_t virtual_channels) {
  p.source = port_of_cluster(p.request.cluster);
  p.destination = port_of_slice(p.request.slice);
  p.flits = flits(format, p.request);
  p.vc = virtual_channel(p.destination, virtual_channels);
}
constexpr Packet reply_packet(const Request& reply, const PacketFormat& format,
                              std::uint32_t virtual_channels) {
  return {reply, port_of_slice(reply.slice), port_of_cluster(reply.cluster), flits(format, reply),
          reply_channel(reply, virtual_channels)};
}

}  // namespace heddle::mem
