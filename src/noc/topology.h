// Slot: what a network looks like inside.
//
// A kind of topology is a line in a table: its name, and how its parameters are read. Reading gives a
// Topology, which makes networks and tells what is known of them without a simulation. Parameters that every
// network has are in NetworkSpec; those of one kind are in a section under its name (noc.request.ring.*). The
// kinds that come with noc/ are in topologies(); techniques add theirs in gpu/catalog.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "mem/address_map.h"
#include "mem/stage.h"
#include "noc/network.h"
#include "noc/packet_merger.h"
#include "noc/structure.h"
#include "sim/engine.h"

namespace heddle::noc {

enum class Direction : std::uint8_t { Request, Reply };  // from clusters to L2 slices, or back

// What stands at a port.
struct Site {
  // A cluster's port (or an L1's of its own), an L2 slice; in an L1 organization's networks, an SM or an L1.
  enum class Kind : std::uint8_t { Cluster, Slice, Core, L1 } kind = Kind::Cluster;
  std::uint32_t number = 0;     // of it, GPU-wide
  std::uint32_t partition = 0;  // of the slice
};

// A network's surroundings. What they refer to outlives the network; they themselves do not.
struct NetworkPlace {
  std::string name;  // "request network"
  Direction direction = Direction::Request;
  std::vector<Site> in, out;  // what stands at each port; the numbers of ports are those of mem/routing.h
  Frequency core{};           // clock; channels count in its cycles
  sim::Clock clock;           // the network's own
  const mem::AddressMap& map;
  // Where the separate networks begin that it consists of, in ports: each leads from its own inputs to its
  // own outputs. One: every input reaches every output.
  struct Part {
    std::uint32_t in = 0, out = 0;
  };
  std::vector<Part> parts = {{0, 0}};
  bool direct_links = false;  // a part of one input and one output is a wire, without a switch
  std::uint32_t inputs(std::size_t part) const {
    return (part + 1 < parts.size() ? parts[part + 1].in : static_cast<std::uint32_t>(in.size())) -
           parts[part].in;
  }
  std::uint32_t outputs(std::size_t part) const {
    return (part + 1 < parts.size() ? parts[part + 1].out : static_cast<std::uint32_t>(out.size())) -
           parts[part].out;
  }
  bool is_link(std::size_t part) const { return direct_links && inputs(part) == 1 && outputs(part) == 1; }
};

// Routers in a grid, numbered row by row, and the router of every port.
struct Floor {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> inputs, outputs;
};

class Topology {
 public:
  virtual ~Topology() = default;

  // Why it cannot have these ports, or these parameters of every network; nothing: it can.
  struct Obstacle {
    std::string_view key;  // of the parameter, in the network's section: "ring.link_buffer"
    std::string message, advice;
  };
  virtual std::optional<Obstacle> obstacle(const NetworkSpec&, const NetworkPlace&) const { return {}; }
  // Whether packets from one input to one output keep their order. A machine's networks must.
  virtual bool keeps_order() const { return true; }

  // All below only where there is no obstacle.
  // Makes a network: adds its units to `engine`, connects the channels between them, and leaves those of
  // `ports` to the caller. Ports have channels with spec.virtual_channels and spec.input_buffer places at
  // inputs; places of outputs are the receiver's.
  virtual std::unique_ptr<Network> make(const NetworkSpec& spec, const NetworkPlace& place,
                                        const Ports& ports, sim::Engine& engine) const = 0;

  // Core cycles from a packet's arrival at an input to when an output hands it over, in an empty network:
  // mean over all pairs of ports, and over the phases of the network's clock.
  virtual double unloaded(const NetworkSpec& spec, const NetworkPlace& place, std::uint32_t flits) const = 0;
  // Flits per network cycle that could arrive at all outputs together when every input sends to every output
  // alike: what ports and links allow, without queues that stand in each other's way.
  virtual double peak_flits(const NetworkPlace& place) const = 0;
  // Where things stand, in words; networks there and back of one kind must say the same. Empty: anywhere.
  virtual std::string floor_plan(const NetworkPlace&) const { return {}; }
  // The same as numbers, where routers stand in a grid; link_loads() of its networks are of neighbours there.
  virtual std::optional<Floor> floor(const NetworkPlace&) const { return {}; }
  // "crossbar 12 x 8"
  virtual std::string shape(const NetworkPlace& place) const = 0;
  // Its switches and links, for what they cost; the name is the caller's. Statistics in its counts are those
  // of the network's group: ".mesh.link_flits".
  virtual mem::Structure structure(const NetworkSpec& spec, const NetworkPlace& place,
                                   const BufferPlan& plan) const = 0;
  // Places of its smallest buffer.
  virtual std::uint32_t least_buffer(const NetworkSpec& spec) const {
    return std::min(spec.input_buffer, spec.output_buffer);
  }
  // What its networks count beside NetworkStats: the groups that Network::collect() adds to, at zero, and
  // what must be equal among all groups when a kernel has ended. `network`: "request_network", for names.
  virtual void declare(std::string_view, stats::Groups&) const {}
  virtual std::vector<mem::Identity> identities(std::string_view, const stats::Groups&) const { return {}; }
};

struct TopologyKind {
  std::string_view name;
  std::string_view description;
  std::size_t most_ports;  // of each side, and of each part
  // Reads (or only describes) the parameters of its own section.
  std::shared_ptr<const Topology> (*read)(config::Reader& section);
  // Parameters of NetworkSpec that it has no use for.
  std::span<const std::string_view> ignores = {};
  bool has_parts = false;  // whether it can consist of several (NetworkPlace::parts)
  bool by_flit = false;    // whether it moves flit by flit, and has work while a long packet crosses
  bool merges = false;     // whether its routers can have a merger (noc/packet_merger.h)
};

std::span<const TopologyKind> topologies();
// Throws Error for an unknown name.
const TopologyKind& find_topology(std::string_view name, std::span<const TopologyKind> kinds);

// Reads a network's parameters: common ones, those of all `kinds` and, where it can have one, of all mergers.
struct NetworkSection {
  NetworkSpec& spec;
  std::span<const TopologyKind> kinds;
  std::span<const PacketMergerKind> mergers = {};
  void fields(config::Reader& r);

 private:
  void read_merger(config::Reader& r, const TopologyKind& topology);
};

// A network of spec.design; throws Error for ports that it cannot have.
std::unique_ptr<Network> make_network(const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
                                      sim::Engine& engine);

}  // namespace heddle::noc
