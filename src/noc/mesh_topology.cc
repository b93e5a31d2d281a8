// The mesh as a topology: its parameters, and what is known of it without a simulation.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "noc/mesh.h"
#include "noc/mesh_layout.h"
#include "noc/mesh_network.h"
#include "noc/mesh_routes.h"

namespace heddle::noc {

void MeshSpec::fields(config::Reader& r) {
  using config::range;
  r.field("width", width, range(0, 1024), "Routers of a row; 0: as many as needed");
  r.field("height", height, range(0, 1024),
          "Rows; 0: as many as needed. With width = 0, too: nearly square, the smallest that has a router "
          "for everyone");
  r.field("concentration", concentration, range(1u, kMeshConcentration),
          "Ports of clusters, or of L2 slices, that share a router");
  r.choice(
      "placement", placement,
      {{"edge", MeshPlacement::Edge, "in the first and the last row, then in those beside them"},
       {"diamond", MeshPlacement::Diamond, "on a diamond around the middle: few in every row and column"},
       {"checkerboard", MeshPlacement::Checkerboard, "spread over the fields of one colour"},
       {"tiled", MeshPlacement::Tiled, "spread over all routers, which have clusters, too"},
       {"list", MeshPlacement::List, "at slice_nodes"}},
      "Routers of the L2 slices; clusters take the others in order, and those that are left have no port");
  r.field("slice_nodes", slice_nodes, "Routers of the L2 slices, numbered row by row from 0");
  r.choice("routing", routing,
           {{"xy", MeshRouting::XY, "along the row, then along the column"},
            {"yx", MeshRouting::YX, "along the column, then along the row"},
            {"o1turn", MeshRouting::O1Turn,
             "half of the packets each way, in virtual channels of their own: needs two"}},
           "Way of a packet");
  r.choice("vc_assignment", vc_assignment,
           {{"destination", VcAssignment::Destination,
             "by its input and its output: packets from one to one other keep their order"},
            {"any", VcAssignment::Any, "any that is free: packets may overtake; `heddle noc` only"}},
           "Virtual channel of a link that a packet gets");
  r.field("vc_buffer", vc_buffer, range(1, 4096), "Flits of a link's virtual channel at its end");
  r.field("routing_delay", routing_delay, range(0, 64), "Network cycles in which a head is routed");
  r.field("vc_delay", vc_delay, range(0, 64), "Network cycles of virtual-channel allocation, of a head");
  r.choice("vc_timing", vc_timing,
           {{"after_grant", VcDelay::AfterGrant, "from when the head is given a channel (BookSim 2)"},
            {"before_request", VcDelay::BeforeRequest,
             "before it asks for one; a head that had to wait goes on at once (BookSim 1, GPGPU-Sim 2)"}},
           "When the cycles of vc_delay pass");
  r.field("switch_delay", switch_delay, range(1, 64), "Network cycles of switch allocation");
  r.field("crossing_delay", crossing_delay, range(0, 64), "Network cycles of crossing the switch");
  r.field("link_delay", link_delay, range(0, 1024), "Network cycles from a router to its neighbour");
  r.field("credit_delay", credit_delay, range(0, 64),
          "Network cycles until a free place is known, beside 1 and those of the link");
  r.field("input_speedup", input_speedup, range(1, 4),
          "Flits that an input sends into the switch in a network cycle, of virtual channels that differ "
          "modulo this number");
  r.field("wait_for_tail_credit", wait_for_tail_credit,
          "Whether a virtual channel is given to the next packet only when the last one has left it");
  r.field(
      "hold_grant", hold_grant,
      "Whether a packet keeps the switch from flit to flit, as long as one can go in every network cycle");
  if (placement != MeshPlacement::List) r.unused({"slice_nodes"}, "mesh.placement is not 'list'");
}

void MeshStats::statistics(stats::Visitor& v) {
  v.counter("packets", packets, {"packets", "Packets that entered the mesh"});
  v.counter("hops", hops, {"links", "Links between routers on the ways of packets, summed"});
  v.counter("link_flits", link_flits,
            {"flits", "Flits on links between routers, counted once for every link that they crossed"});
  v.counter("busiest_link_flits", busiest_link_flits,
            {"flits",
             "Flits of the link between routers that carried most, kernel by kernel: per network cycle, its "
             "utilisation"});
  v.ratio("mean_hops", hops, packets, {"links", "Links between routers on a packet's way"});
}

std::string mesh_group(std::string_view network) {
  return fmt::format("{}.mesh", network);
}

namespace {

class MeshTopology final : public Topology {
 public:
  explicit MeshTopology(MeshSpec spec) : mesh_(std::move(spec)) {}
  std::optional<Obstacle> obstacle(const NetworkSpec& spec, const NetworkPlace& place) const override;
  bool keeps_order() const override { return mesh_.vc_assignment == VcAssignment::Destination; }
  std::string floor_plan(const NetworkPlace& place) const override;
  std::optional<Floor> floor(const NetworkPlace& place) const override {
    const MeshLayout layout(mesh_, place);
    return Floor{layout.width(), layout.height(), layout.node_of_input(), layout.node_of_output()};
  }
  std::unique_ptr<Network> make(const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
                                sim::Engine& engine) const override {
    return std::make_unique<MeshNetwork>(mesh_, spec, place, ports, engine);
  }
  double unloaded(const NetworkSpec& spec, const NetworkPlace& place, std::uint32_t flits) const override;
  double peak_flits(const NetworkPlace& place) const override;
  std::string shape(const NetworkPlace& place) const override;
  mem::Structure structure(const NetworkSpec& spec, const NetworkPlace& place,
                           const BufferPlan& plan) const override;
  void declare(std::string_view network, stats::Groups& all) const override {
    all.make<MeshStats>(mesh_group(network));
  }

 private:
  MeshSpec mesh_;
};

std::optional<Topology::Obstacle> MeshTopology::obstacle(const NetworkSpec& spec,
                                                         const NetworkPlace& place) const {
  if (spec.virtual_channels > kMeshChannels)
    return Obstacle{"virtual_channels",
                    fmt::format("a link of a mesh has at most {} virtual channels, not {}", kMeshChannels,
                                spec.virtual_channels),
                    ""};
  if (mesh_.routing == MeshRouting::O1Turn && spec.virtual_channels < 2)
    return Obstacle{"mesh.routing", "o1turn needs two virtual channels at least, one for each kind of way",
                    "give virtual_channels = 2 or more, or choose xy or yx"};
  if (spec.merging != nullptr) {
    // Ways into the switch that a router's allocators know.
    const std::uint32_t ways = kMeshSides + mesh_.concentration + kMeshSides + mesh_.concentration;
    if (ways * std::min(mesh_.input_speedup, spec.virtual_channels) > 64)
      return Obstacle{
          "mesh.input_speedup",
          fmt::format("a router with a merger, {} ports a side and an input speedup of {} has more "
                      "than 64 ways into its switch",
                      mesh_.concentration, mesh_.input_speedup),
          "give a smaller mesh.concentration or mesh.input_speedup"};
    const std::uint32_t most = spec.merging->most_requests();
    const std::uint64_t flit = spec.packet.flit.count(),
                        flits = (spec.merging->bytes(most) + flit - 1) / flit;
    const bool by_flit = spec.packet.buffers == mem::BufferUnit::Flits;
    if (flits > mesh_.vc_buffer)
      return Obstacle{
          "merger",
          fmt::format("a packet of {} requests is {} flits long, and a virtual channel "
                      "(mesh.vc_buffer) has {} places: a router keeps a packet when all of it is there",
                      most, flits, mesh_.vc_buffer),
          "allow fewer requests in a packet, or give longer virtual channels or flits"};
    if ((by_flit ? flits : most) > spec.output_buffer)
      return Obstacle{"merger",
                      fmt::format("a packet of {} requests needs {} places of an output at once, and "
                                  "output_buffer has {}",
                                  most, by_flit ? flits : most, spec.output_buffer),
                      "allow fewer requests in a packet, or give output_buffer more places"};
  }
  return MeshLayout(mesh_, place).obstacle();
}

std::string MeshTopology::floor_plan(const NetworkPlace& place) const {
  const MeshLayout layout(mesh_, place);
  return fmt::format("{} x {}, L2 slices at routers {}", layout.width(), layout.height(),
                     fmt::join(layout.slice_nodes(), ", "));
}

// Ticks of a packet alone in the mesh. A long one waits for its own credits where a buffer is too small for
// the time there and back: flit n is given the switch of a router when the one before it was, when it has
// come from the router before, and when flit n - vc_buffer has left the router behind.
std::uint64_t alone(const MeshSpec& m, std::uint32_t links, std::uint32_t flits) {
  const std::uint64_t onward = m.switch_delay + m.crossing_delay;
  const std::uint64_t credit = 1 + m.link_delay + m.credit_delay;
  const std::uint32_t routers = links + 1;
  std::vector<std::uint64_t> at(std::size_t{routers} * flits);  // [flit][router]
  for (std::uint32_t n = 0; n < flits; ++n)
    for (std::uint32_t r = 0; r < routers; ++r) {
      std::uint64_t t = r == 0 ? 0 : at[n * routers + r - 1] + onward + m.link_delay;
      if (n == 0) t += m.routing_delay + m.vc_delay;
      if (n > 0) t = std::max(t, at[(n - 1) * routers + r] + 1);
      if (n >= m.vc_buffer && r < links) t = std::max(t, at[(n - m.vc_buffer) * routers + r + 1] + credit);
      at[n * routers + r] = t;
    }
  return at.back() + onward;
}

double MeshTopology::unloaded(const NetworkSpec&, const NetworkPlace& place, std::uint32_t flits) const {
  const MeshLayout layout(mesh_, place);
  std::map<std::uint32_t, std::uint64_t> pairs;  // by links
  for (const std::uint32_t i : layout.node_of_input())
    for (const std::uint32_t o : layout.node_of_output()) ++pairs[layout.distance(i, o)];
  double sum = 0;
  for (const auto& [links, n] : pairs) {
    sum += static_cast<double>(n) * sim::mean_cycles(place.clock, alone(mesh_, links, flits));
  }
  return sum / static_cast<double>(place.in.size() * place.out.size());
}

// The busiest link decides, or the narrower side.
double MeshTopology::peak_flits(const NetworkPlace& place) const {
  const MeshLayout layout(mesh_, place);
  const std::uint32_t w = layout.width();
  std::vector<std::uint64_t> load(std::size_t{layout.nodes()} * kMeshSides);  // pairs x 2
  const auto walk = [&](std::uint32_t at, std::uint32_t to, bool y_first, std::uint32_t weight) {
    MeshWay way;
    way.x = static_cast<std::uint16_t>(layout.x(to));
    way.y = static_cast<std::uint16_t>(layout.y(to));
    way.y_first = y_first;
    while (at != to) {
      const std::uint32_t side = side_to(way, layout.x(at), layout.y(at));
      load[at * kMeshSides + side] += weight;
      at = side == kEast ? at + 1 : side == kWest ? at - 1 : side == kSouth ? at + w : at - w;
    }
  };
  for (const std::uint32_t i : layout.node_of_input())
    for (const std::uint32_t o : layout.node_of_output()) {
      if (mesh_.routing != MeshRouting::YX) walk(i, o, false, mesh_.routing == MeshRouting::XY ? 2 : 1);
      if (mesh_.routing != MeshRouting::XY) walk(i, o, true, mesh_.routing == MeshRouting::YX ? 2 : 1);
    }
  const std::uint64_t busiest = *std::max_element(load.begin(), load.end());
  const auto ports = static_cast<double>(std::min(place.in.size(), place.out.size()));
  if (busiest == 0) return ports;
  return std::min(ports,
                  2 * static_cast<double>(place.in.size() * place.out.size()) / static_cast<double>(busiest));
}

std::string MeshTopology::shape(const NetworkPlace& place) const {
  const MeshLayout layout(mesh_, place);
  return fmt::format("mesh of {} x {} routers, {} x {}", layout.width(), layout.height(), place.in.size(),
                     place.out.size());
}

// Routers are spread over the die; what stands at one is beside it. Those with the same numbers of ports are
// alike; all inputs of one have the mean of its buffers. From the middle of the die to a port it is half a
// side on average, a link is a side divided by the routers of its row or column.
mem::Structure MeshTopology::structure(const NetworkSpec& spec, const NetworkPlace& place,
                                       const BufferPlan& plan) const {
  const MeshLayout layout(mesh_, place);
  const std::uint32_t w = layout.width(), h = layout.height();
  struct Sides {
    std::uint32_t links = 0, inputs = 0, outputs = 0;
    auto operator<=>(const Sides&) const = default;
  };
  std::vector<Sides> routers(layout.nodes());
  for (std::uint32_t r = 0; r < routers.size(); ++r)
    routers[r].links = (layout.x(r) > 0) + (layout.x(r) + 1 < w) + (layout.y(r) > 0) + (layout.y(r) + 1 < h);
  for (const std::uint32_t r : layout.node_of_input()) ++routers[r].inputs;
  for (const std::uint32_t r : layout.node_of_output()) ++routers[r].outputs;
  std::map<Sides, std::uint32_t> alike;
  for (const Sides& s : routers) ++alike[s];

  double across = 0, down = 0;  // links on a way, if every input sends to every output alike
  for (const std::uint32_t from : layout.node_of_input())
    for (const std::uint32_t to : layout.node_of_output()) {
      across += std::max(layout.x(from), layout.x(to)) - std::min(layout.x(from), layout.x(to));
      down += std::max(layout.y(from), layout.y(to)) - std::min(layout.y(from), layout.y(to));
    }
  const double pairs = static_cast<double>(place.in.size() * place.out.size());
  across /= pairs;
  down /= pairs;
  mem::Structure all;
  for (const auto& [s, count] : alike) {
    if (s.links + s.inputs == 0 || s.links + s.outputs == 0) continue;
    // A merger's packets come back by a queue for each output.
    const std::uint32_t own = spec.merging && spec.merging->keeps() ? s.links + s.outputs : 0;
    mem::CrossbarPart part = switch_part(spec, place, plan, s.links + s.inputs + own, s.links + s.outputs);
    const std::uint32_t at_ports = part.buffer_flits * s.inputs, at_links = mesh_.vc_buffer * (s.links + own);
    part.count = count;
    part.buffer_flits = std::max(1u, (at_ports + at_links) / part.inputs);
    const double share = static_cast<double>(count) / layout.nodes();  // of the flits
    part.crossings = 1;
    part.flits = {{".mesh.link_flits", share}, {".flits", share}};
    all.crossbars.push_back(part);
  }
  const Frequency clock = frequency_of(spec, place);
  const double far = across + down;
  const auto links = [&](std::uint32_t count, double reach, double part) {
    all.links.push_back({count, spec.packet.flit, 0, reach, clock, 1, {{".mesh.link_flits", part / far}}});
  };
  if (w > 1) links(2 * (w - 1) * h, 2.0 / w, across);
  if (h > 1) links(2 * (h - 1) * w, 2.0 / h, down);
  return all;
}

}  // namespace

std::shared_ptr<const Topology> read_mesh(config::Reader& section) {
  MeshSpec spec;
  spec.fields(section);
  return std::make_shared<MeshTopology>(spec);
}

}  // namespace heddle::noc
