// A hierarchical crossbar: two stages of small crossbars instead of a large one (Zhao et al.'s CDXBar).
//
//   requests   Z crossbars beside the cores, each from N ports of cores to M links; then M crossbars beside
//              L2, each from Z links (one of every cluster) to O slices
//   replies    the same the other way round: M of O x Z, then Z of M x N
//
// N = ports of cores / Z, O = slices / M: crossbar j beside L2 has the slices of range j behind it. Every
// crossbar is a unit, every link a channel between two of them, with the virtual channels and the places of a
// port. Each stage has a clock of its own, a multiple of the network's.
//
// A packet waits in a crossbar's input as in any (noc/crossbar.h), in a queue by the output that it wants
// there; its places are those of the virtual channel by which it entered the network (destination %
// virtual_channels). With the core's clock, its latency inside an empty network is
//
//   2 x (1 + packet_setup + flits) + link_latency
//
// since a crossbar passes whole packets on. What waits in the first stage waits for the second, and that one
// only for the receivers: nothing waits in a circle.
#pragma once

#include <cstdint>
#include <memory>

#include "noc/crossbar.h"

namespace heddle::noc {

inline constexpr std::size_t kHierarchicalPorts = 1024;  // of each side

struct HierarchicalSpec {
  std::uint32_t clusters = 0;  // Z; 0: default_groups() of the cores' ports
  std::uint32_t links = 0;     // M; 0: default_groups() of the slices
  std::uint32_t near_boost = 1, far_boost = 1;
  std::uint32_t link_latency = 4;  // core cycles
  std::uint32_t link_buffer = 0;   // places per virtual channel, those on the wire included; 0: as a port has
  CrossbarSpec crossbars;
  void fields(config::Reader& r);
};

// The largest divisor that is not above the square root.
std::uint32_t default_groups(std::uint32_t ports);

std::shared_ptr<const Topology> read_hierarchical(config::Reader& section);

}  // namespace heddle::noc
