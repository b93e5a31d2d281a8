#include "noc/topology.h"

#include <array>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "noc/crossbar.h"

namespace heddle::noc {
namespace {

constexpr std::array kTopologies = {
    Topology{"crossbar", "every input reaches every output; iSLIP allocation", kCrossbarPorts, make_crossbar},
};

}  // namespace

std::span<const Topology> topologies() {
  return kTopologies;
}

const Topology& topology(std::string_view name) {
  std::vector<std::string> names;
  for (const Topology& t : kTopologies) {
    if (t.name == name) return t;
    names.emplace_back(t.name);
  }
  throw Error("no topology is named '" + std::string(name) + "'", did_you_mean(name, names));
}

std::unique_ptr<Network> make_network(const NetworkSpec& spec, sim::Clock clock, const Ports& ports,
                                      std::string unit_name) {
  return topology(spec.topology).make(spec, clock, ports, std::move(unit_name));
}

}  // namespace heddle::noc
