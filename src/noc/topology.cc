#include "noc/topology.h"

#include <array>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "noc/crossbar.h"

namespace heddle::noc {
namespace {

constexpr std::array kTopologies = {
    Topology{"crossbar", "every input reaches every output; iSLIP allocation", make_crossbar},
};

}  // namespace

std::span<const Topology> topologies() {
  return kTopologies;
}

std::unique_ptr<Network> make_network(const NetworkSpec& spec, sim::Clock clock, const Ports& ports,
                                      std::string unit_name) {
  std::vector<std::string> names;
  for (const Topology& t : kTopologies) {
    if (t.name == spec.topology) return t.make(spec, clock, ports, std::move(unit_name));
    names.emplace_back(t.name);
  }
  throw Error("no topology is named '" + spec.topology + "'", did_you_mean(spec.topology, names));
}

}  // namespace heddle::noc
