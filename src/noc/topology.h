// Slot: what a network looks like inside. One line per implementation.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "noc/network.h"

namespace heddle::noc {

struct Topology {
  std::string_view name;
  std::string_view description;
  std::size_t most_ports;  // of each side
  std::unique_ptr<Network> (*make)(const NetworkSpec& spec, sim::Clock clock, const Ports& ports,
                                   std::string unit_name);
};

std::span<const Topology> topologies();
// Throws Error for an unknown name.
const Topology& topology(std::string_view name);
// Makes the network that spec.topology names; throws Error for an unknown name or ports it cannot have.
std::unique_ptr<Network> make_network(const NetworkSpec& spec, sim::Clock clock, const Ports& ports,
                                      std::string unit_name);

}  // namespace heddle::noc
