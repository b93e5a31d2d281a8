// A request or reply on its way through a network: how many flits it is, where it enters and where it leaves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"
#include "mem/request.h"

namespace heddle::mem {

struct Packet {
  Request request;
  std::uint16_t source = 0;       // input port
  std::uint16_t destination = 0;  // output port
  std::uint16_t flits = 1;
  std::uint16_t vc = 0;  // virtual channel of its input
};
static_assert(sizeof(Packet) <= 56);

// The virtual channel of packets for `destination`: their order is kept.
constexpr std::uint16_t virtual_channel(std::uint32_t destination, std::uint32_t virtual_channels) {
  return static_cast<std::uint16_t>(destination % virtual_channels);
}

// What places of a network's buffers hold.
enum class BufferUnit : std::uint8_t { Packets, Flits };

// What decides a packet's size. A header of 0 bytes is the arithmetic of papers that do not count it.
struct PacketFormat {
  Bytes flit{32};   // channel width: bytes per network cycle
  Bytes header{8};  // of every packet
  BufferUnit buffers = BufferUnit::Packets;

  // Of a packet of so many flits, in a buffer of the network.
  constexpr std::uint32_t places(std::uint32_t flits) const {
    return buffers == BufferUnit::Flits ? flits : 1;
  }
};

// ceil((header + data) / width), and at least one: a packet without data still has to say where it goes.
constexpr std::uint16_t flits_of_data(const PacketFormat& format, std::uint64_t data) {
  const std::uint64_t bytes = format.header.count() + data;
  const std::uint64_t n = (bytes + format.flit.count() - 1) / format.flit.count();
  return static_cast<std::uint16_t>(std::max<std::uint64_t>(n, 1));
}
constexpr std::uint16_t flits(const PacketFormat& format, const Request& request) {
  return flits_of_data(format, data_bytes(request));
}

}  // namespace heddle::mem
