#include "techniques/decoupled_l1/core_networks.h"

#include <algorithm>

namespace heddle::decoupled_l1 {
namespace {

using hierarchy::L1Setting;
using noc::NetworkPlace;
using noc::NetworkSpec;
using noc::Site;

// Like `memory`, for ports that lead to `outputs` others.
NetworkSpec like(const NetworkSpec& memory, const DecoupledSpec& spec, Frequency core,
                 std::uint32_t outputs) {
  NetworkSpec n = memory;
  n.merger = "none";  // rows are not what packets to L1s have in common
  n.merging = nullptr;
  if (memory.topology != "crossbar") {
    const noc::TopologyKind& crossbar = noc::find_topology("crossbar", noc::topologies());
    config::Config none;
    config::Reader defaults(&none, nullptr);
    n.topology = crossbar.name;
    n.design = crossbar.read(defaults);
  }
  const Frequency clock = memory.clock == Frequency{0} ? core : memory.clock;
  n.clock = Frequency{clock.count() * spec.boost};
  n.virtual_channels = std::min(memory.virtual_channels, std::max(1u, outputs));
  n.input_buffer = memory.input_buffer * memory.virtual_channels / n.virtual_channels;
  return n;
}

NetworkPlace place_of(const char* name, noc::Direction direction, const L1Setting& setting,
                      const Geometry& geometry, const NetworkSpec& spec) {
  std::vector<Site> cores, nodes;
  for (std::uint32_t c = 0; c < geometry.cores(); ++c) cores.push_back({Site::Kind::Core, c, 0});
  for (std::uint32_t n = 0; n < geometry.nodes(); ++n) nodes.push_back({Site::Kind::L1, n, 0});
  const bool request = direction == noc::Direction::Request;
  std::vector<NetworkPlace::Part> parts;
  for (std::uint32_t c = 0; c < geometry.clusters(); ++c) {
    const std::uint32_t core = geometry.first_core(c), node = c * geometry.nodes_per_cluster();
    parts.push_back(request ? NetworkPlace::Part{core, node} : NetworkPlace::Part{node, core});
  }
  if (!request) cores.swap(nodes);
  return {name,
          direction,
          std::move(cores),
          std::move(nodes),
          setting.core,
          noc::clock_of(spec, setting.core),
          setting.map,
          std::move(parts),
          true};
}

}  // namespace

CoreNetworks::CoreNetworks(const DecoupledSpec& spec, const L1Setting& setting, const Geometry& geometry)
    : request_(like(setting.request, spec, setting.core, geometry.nodes_per_cluster())),
      reply_(like(setting.reply, spec, setting.core, geometry.cores() / geometry.clusters())),
      there_(place_of("core request network", noc::Direction::Request, setting, geometry, request_)),
      back_(place_of("core reply network", noc::Direction::Reply, setting, geometry, reply_)) {}

}  // namespace heddle::decoupled_l1
