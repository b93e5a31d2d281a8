// NoC#1: the networks between lite cores and DC-L1 nodes, a crossbar per cluster and direction.
//
// They are like the memory networks of the machine (width, header, buffers, virtual channels), with `boost`
// times their clock; a cluster of one core and one node has a direct link instead. A port has as many virtual
// channels as it has use for, with all of its buffer.
#pragma once

#include "noc/topology.h"
#include "techniques/decoupled_l1/geometry.h"

namespace heddle::decoupled_l1 {

class CoreNetworks {
 public:
  CoreNetworks(const DecoupledSpec& spec, const hierarchy::L1Setting& setting, const Geometry& geometry);

  const noc::NetworkSpec& request() const { return request_; }
  const noc::NetworkSpec& reply() const { return reply_; }
  const noc::NetworkPlace& place(noc::Direction d) const {
    return d == noc::Direction::Request ? there_ : back_;
  }
  // Core cycles of a packet with so many bytes of data, in an empty network.
  double crossing(noc::Direction d, std::uint64_t bytes) const {
    const noc::NetworkSpec& n = d == noc::Direction::Request ? request_ : reply_;
    return n.design->unloaded(n, place(d), mem::flits_of_data(n.packet, bytes));
  }

 private:
  noc::NetworkSpec request_, reply_;
  noc::NetworkPlace there_, back_;
};

}  // namespace heddle::decoupled_l1
