#include "noc/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/suggest.h"
#include "noc/crossbar.h"
#include "noc/hierarchical.h"
#include "noc/mesh.h"
#include "noc/ring.h"

namespace heddle::noc {
namespace {

constexpr std::array<std::string_view, 1> kAllocatorOfCrossbars = {"allocator_iterations"};

constexpr std::array kTopologies = {
    TopologyKind{"crossbar",
                 "every input reaches every output; iSLIP allocation",
                 kCrossbarPorts,
                 read_crossbar,
                 {},
                 true},
    TopologyKind{"ring", "routers in a ring of two directions; the shortest way", kRingPorts, read_ring,
                 kAllocatorOfCrossbars},
    TopologyKind{"hierarchical", "two stages of small crossbars: some beside the cores, some beside L2",
                 kHierarchicalPorts, read_hierarchical},
    TopologyKind{"mesh",
                 "routers in a grid, wormhole switching of flits; iSLIP allocation",
                 kMeshPorts,
                 read_mesh,
                 {},
                 false,
                 true,
                 true},
};

// Parameters of one kind, under its own name.
template <class Kind, class Design>
struct KindSection {
  const Kind& kind;
  std::shared_ptr<const Design> design;
  void fields(config::Reader& r) { design = kind.read(r); }
};

}  // namespace

std::span<const TopologyKind> topologies() {
  return kTopologies;
}

const TopologyKind& find_topology(std::string_view name, std::span<const TopologyKind> kinds) {
  std::vector<std::string> names;
  for (const TopologyKind& k : kinds) {
    if (k.name == name) return k;
    names.emplace_back(k.name);
  }
  throw Error("no topology is named '" + std::string(name) + "'", did_you_mean(name, names));
}

void NetworkSection::fields(config::Reader& r) {
  using config::range;
  std::vector<config::NamedChoice> names;
  for (const TopologyKind& k : kinds) names.push_back({std::string(k.name), std::string(k.description)});
  r.choice("topology", spec.topology, names, "How inputs and outputs are connected");
  r.field("flit", spec.packet.flit, range(1_B, 1_KiB),
          "Width of a channel: bytes per network cycle and port");
  r.field("header", spec.packet.header, range(0_B, 256_B), "Bytes of every packet that are not data");
  r.field("clock", spec.clock, range(Frequency{0}, 100_GHz), "Network clock; 0: the clock of the cores");
  r.field(
      "input_buffer", spec.input_buffer, range(1, 4096),
      "Packets (or flits: buffers) per input port and virtual channel, counted from when they are sent to "
      "when they cross");
  r.field("output_buffer", spec.output_buffer, range(1, 4096), "Packets (or flits: buffers) per output port");
  r.choice("buffers", spec.packet.buffers,
           {{"packets", mem::BufferUnit::Packets, "a packet takes one place, however long it is"},
            {"flits", mem::BufferUnit::Flits,
             "a packet takes a place per flit; it goes on when all of it fits, and its places behind it are "
             "free one after the other"}},
           "What places of the network's buffers hold, those of cluster.injection_buffer before the request "
           "network included");
  r.field("virtual_channels", spec.virtual_channels, range(1, 256),
          "Queues per input port; a packet uses number destination % virtual_channels");
  r.field("allocator_iterations", spec.allocator_iterations, range(1, 16),
          "Rounds of iSLIP per network cycle");
  r.field("ejection", spec.ejection, range(1, 64), "Packets an output hands over per network cycle");
  if (spec.clock != Frequency{0} && spec.clock < 1_MHz)
    r.fail("clock", "a network clock below 1 MHz",
           "give it with its unit, as in \"1.4GHz\", or 0 for the cores'");
  const std::string why = fmt::format("topology is '{}'", spec.topology);
  for (const TopologyKind& k : kinds) {
    KindSection<TopologyKind, Topology> section{k, nullptr};
    r.section(k.name, section, k.description);
    if (k.name != spec.topology) {
      r.unused({std::string(k.name) + "."}, why);
      continue;
    }
    spec.design = std::move(section.design);
    for (const std::string_view name : k.ignores) r.unused({name}, why);
    if (!mergers.empty()) read_merger(r, k);
  }
}

void NetworkSection::read_merger(config::Reader& r, const TopologyKind& topology) {
  std::vector<config::NamedChoice> names;
  for (const PacketMergerKind& k : mergers)
    names.push_back({std::string(k.name), std::string(k.description)});
  r.choice("merger", spec.merger, names, "Whether routers hold read requests to send several as one packet");
  if (!topology.merges && spec.merger != "none")
    r.unused({"merger"}, fmt::format("only a mesh has routers for it, and topology is '{}'", topology.name));
  for (const PacketMergerKind& k : mergers) {
    if (k.name == "none") continue;
    KindSection<PacketMergerKind, PacketMerging> section{k, nullptr};
    r.section(k.name, section, k.description);
    if (k.name == spec.merger && topology.merges)
      spec.merging = std::move(section.design);
    else
      r.unused({std::string(k.name) + "."}, fmt::format("merger is '{}'", spec.merger));
  }
}

std::unique_ptr<Network> make_network(const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
                                      sim::Engine& engine) {
  if (ports.in.empty() || ports.out.empty())
    throw Error(
        fmt::format("{} would have {} inputs and {} outputs", place.name, ports.in.size(), ports.out.size()));
  if (const auto o = spec.design->obstacle(spec, place)) throw Error(o->message, o->advice);
  return spec.design->make(spec, place, ports, engine);
}

}  // namespace heddle::noc
