#include "techniques/decoupled_l1/decoupled_l1.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "techniques/decoupled_l1/core_networks.h"
#include "techniques/decoupled_l1/geometry.h"
#include "techniques/decoupled_l1/l1_node.h"
#include "techniques/decoupled_l1/lite_core.h"

namespace heddle::decoupled_l1 {
namespace {

using hierarchy::L1Layout;
using hierarchy::L1Level;
using hierarchy::L1Organization;
using hierarchy::L1Setting;
using Packets = sim::Channel<mem::Packet>;

// Between a core or a node and NoC#1, in the paper's Sh40+C10.
constexpr double kLinkMm = 3.3;

// A node's cache (rules 4 and 7): what its cores' L1s have together, unless it is given.
cache::L1Spec node_l1(const DecoupledSpec& spec, const L1Setting& setting, const Geometry& geometry) {
  const auto given = [](std::uint32_t own, std::uint32_t otherwise) { return own != 0 ? own : otherwise; };
  cache::L1Spec l1 = setting.l1;
  l1.tags.sets = given(spec.sets, geometry.share(l1.tags.sets));
  l1.tags.ways = given(spec.ways, l1.tags.ways);
  l1.tags.homes = geometry.homes();
  l1.latency = given(spec.latency, l1.latency);
  l1.mshr_entries = given(spec.mshr_entries, geometry.share(l1.mshr_entries));
  l1.mshr_merges = given(spec.mshr_merges, geometry.share(l1.mshr_merges));
  l1.passing = std::min(65536u, geometry.share(l1.passing));
  // Q3: all its entries are there for any request, and Q2 takes one reply per cycle.
  l1.miss_queue = spec.entries(spec.q3);
  l1.read_places = 0;
  l1.replies_per_cycle = 1;
  return l1;
}

class DecoupledLevel final : public L1Level {
 public:
  DecoupledLevel(const DecoupledSpec& spec, const L1Setting& setting,
                 const L1Organization::Surroundings& around, sim::Engine& engine);

  sim::UnitId lane_unit(std::uint32_t lane) const override { return node_units_[lane]; }
  cache::L1Cache& l1(std::uint32_t l1) override { return nodes_[l1]->l1(); }
  noc::Network* request_network() override { return request_.get(); }
  noc::Network* reply_network() override { return reply_.get(); }
  void measure(sim::Cycle window) override;
  bool idle() const override {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& n) { return n->idle(); }) &&
           std::all_of(channels_.begin(), channels_.end(), [](const auto& c) { return c->empty(); });
  }

 private:
  Packets* channel(std::uint32_t latency, std::uint32_t places, std::uint32_t virtual_channels = 1) {
    channels_.push_back(std::make_unique<Packets>(latency, places, virtual_channels));
    return channels_.back().get();
  }

  const Geometry geometry_;
  std::vector<std::unique_ptr<Packets>> channels_;
  std::unique_ptr<noc::Network> request_, reply_;
  std::vector<std::unique_ptr<L1Node>> nodes_;
  std::vector<sim::UnitId> node_units_;
  std::vector<std::unique_ptr<mem::PotentialMeter>> meters_;
};

DecoupledLevel::DecoupledLevel(const DecoupledSpec& spec, const L1Setting& setting,
                               const L1Organization::Surroundings& around, sim::Engine& engine)
    : geometry_(spec, setting) {
  const CoreNetworks networks(spec, setting, geometry_);
  const noc::NetworkSpec &there = networks.request(), &back = networks.reply();
  noc::Ports request, reply;
  for (std::uint32_t c = 0; c < geometry_.cores(); ++c) {
    request.in.push_back(channel(spec.wire, there.input_buffer, there.virtual_channels));
    // A core takes answers as they come.
    reply.out.push_back(
        channel(spec.wire, std::max(4 * spec.wire, noc::places_of_wire(back, setting.core, spec.wire))));
  }
  for (std::uint32_t n = 0; n < geometry_.nodes(); ++n) {
    request.out.push_back(
        channel(spec.wire, spec.entries(spec.q1) + noc::places_of_wire(there, setting.core, spec.wire)));
    reply.in.push_back(channel(spec.wire, back.input_buffer, back.virtual_channels));
  }
  request_ = noc::make_network(there, networks.place(noc::Direction::Request), request, engine);
  reply_ = noc::make_network(back, networks.place(noc::Direction::Reply), reply, engine);

  const cache::L1Spec l1 = node_l1(spec, setting, geometry_);
  for (std::uint32_t n = 0; n < geometry_.nodes(); ++n) {
    nodes_.push_back(std::make_unique<L1Node>(
        l1, spec.entries(spec.q2), n, setting.map,
        L1Node::Wiring{request.out[n], reply.in[n], around.to_port[n], around.from_port[n], back.packet}));
    node_units_.push_back(engine.add(*nodes_.back()));
    engine.connect(*request.out[n], request_->writer(n), node_units_[n]);
    engine.connect(*reply.in[n], node_units_[n], reply_->reader(n));
  }
  const cache::TagStore& tags = nodes_.front()->l1().tags();
  const sm::FrontL1 front{static_cast<std::uint32_t>(l1.tags.line.count()), l1.tags.sets,
                          [&tags](std::uint64_t line) { return tags.set_of(line); }, true};
  for (std::uint32_t c = 0; c < geometry_.cores(); ++c) {
    cores_.push_back(std::make_unique<LiteCore>(around.sm, c, setting, geometry_, there.packet,
                                                *request.in[c], *reply.out[c], front));
    cores_.back()->sm().observe(around.observer);
    core_units_.push_back(engine.add(*cores_.back()));
    engine.connect(*request.in[c], core_units_[c], request_->reader(c));
    engine.connect(*reply.out[c], reply_->writer(c), core_units_[c]);
  }
}

void DecoupledLevel::measure(sim::Cycle window) {
  for (const auto& core : cores_) core->measure(window);
  for (const auto& node : nodes_) {
    meters_.push_back(std::make_unique<mem::PotentialMeter>(window));
    node->l1().measure(meters_.back().get());
  }
}

class DecoupledL1 final : public L1Organization {
 public:
  explicit DecoupledL1(const DecoupledSpec& spec) : spec_(spec) {}

  std::optional<Obstacle> obstacle(const L1Setting& setting) const override;
  L1Layout layout(const L1Setting& setting) const override {
    L1Layout l = Geometry(spec_, setting).layout();
    l.answers = spec_.entries(spec_.q4);
    return l;
  }
  cache::L1Spec l1(const L1Setting& setting) const override {
    return node_l1(spec_, setting, Geometry(spec_, setting));
  }
  std::string place(const L1Setting& setting) const override {
    const Geometry g(spec_, setting);
    return fmt::format("{} in {}, apart from the SMs; nominal peak bandwidth / {:.3g}; a node:",
                       counted(g.nodes(), "node"), counted(g.clusters(), "cluster"), nominal_drop(setting));
  }
  // Whole lines, with their headers.
  double peak_hits(const L1Setting& setting) const override {
    const decoupled_l1::CoreNetworks n(spec_, setting, Geometry(spec_, setting));
    const std::uint64_t line = setting.l1.tags.line.count();
    const noc::NetworkPlace& place = n.place(noc::Direction::Reply);
    const double ticks = static_cast<double>(place.clock.ticks()) / static_cast<double>(place.clock.cycles());
    return n.reply().design->peak_flits(place) * ticks * static_cast<double>(line) /
           mem::flits_of_data(n.reply().packet, line);
  }
  std::optional<CoreNetworks> networks(const L1Setting& setting) const override {
    const decoupled_l1::CoreNetworks n(spec_, setting, Geometry(spec_, setting));
    // Buffers are made for what there is most of: requests of loads, and lines.
    const std::uint64_t line = setting.l1.tags.line.count();
    CoreNetworks all{noc::describe(n.request(), n.place(noc::Direction::Request), {spec_.wire, 1}),
                     noc::describe(n.reply(), n.place(noc::Direction::Reply),
                                   {spec_.wire, mem::flits_of_data(n.reply().packet, line)}),
                     {spec_.wire, spec_.wire}};
    for (mem::Structure* s : {&all.request.structure, &all.reply.structure})
      for (mem::LinkPart& link : s->links) link.length_mm = kLinkMm;
    all.request.beside.push_back(queues(Geometry(spec_, setting).nodes(), setting.l1.tags.line));
    return all;
  }
  // Q1 from the cores, Q2 to them, Q3 to L2, Q4 from there: of lines.
  mem::Structure queues(std::uint32_t nodes, Bytes line) const {
    mem::Structure all{"queues of the nodes"};
    all.region = mem::Region::L1;
    const auto add = [&](std::uint32_t entries, const char* entered) {
      all.queues.push_back({nodes, spec_.entries(entries), line, {{entered}}});
    };
    add(spec_.q1, "core_request_network.ejected");
    add(spec_.q2, "core_reply_network.injected");
    add(spec_.q3, "cluster.requests");
    add(spec_.q4, "cluster.delivered");
    return all;
  }
  double unloaded(const L1Setting& setting, std::uint64_t bytes) const override {
    const decoupled_l1::CoreNetworks n(spec_, setting, Geometry(spec_, setting));
    return 4.0 * spec_.wire + n.crossing(noc::Direction::Request, 0) +
           n.crossing(noc::Direction::Reply, bytes);
  }
  std::unique_ptr<L1Level> build(const L1Setting& setting, const Surroundings& around,
                                 sim::Engine& engine) const override {
    return std::make_unique<DecoupledLevel>(spec_, setting, around, engine);
  }

 private:
  // The paper's Table I (rule 11): a node sends a flit where an SM's own L1 gives a line, as if all clocks
  // were one, and without headers.
  double nominal_drop(const L1Setting& setting) const {
    const Geometry g(spec_, setting);
    const auto bytes = [](std::uint64_t n, Bytes each) { return static_cast<double>(n * each.count()); };
    return bytes(g.cores(), setting.l1.tags.line) /
           (bytes(g.nodes(), setting.reply.packet.flit) * spec_.boost);
  }

  DecoupledSpec spec_;
};

std::optional<L1Organization::Obstacle> DecoupledL1::obstacle(const L1Setting& setting) const {
  if (auto o = Geometry::obstacle(spec_, setting)) return o;
  if (setting.l1.enabled && setting.l1.local_write_back && spec_.entries(spec_.q3) < 2)
    return Obstacle{"l1.decoupled.q3", "a miss that writes a line back needs two entries of Q3",
                    "give at least 2, or l1.local_write_back = false"};
  const std::uint32_t sets = l1(setting).tags.sets;
  using cache::IndexHash;
  const IndexHash index = setting.l1.tags.index;
  if ((index == IndexHash::Fermi && sets != 32 && sets != 64) ||
      (index == IndexHash::Polynomial && !std::has_single_bit(sets)))
    return Obstacle{"l1.index", fmt::format("the L1's index cannot make {} sets, which a node has", sets),
                    "choose l1.index = \"linear\", or give l1.decoupled.sets and l1.decoupled.ways"};
  return {};
}

std::shared_ptr<const L1Organization> read_decoupled(config::Reader& section) {
  DecoupledSpec spec;
  spec.fields(section);
  return std::make_shared<DecoupledL1>(spec);
}

}  // namespace

const hierarchy::OrganizationKind kDecoupled{
    "decoupled", "in nodes apart from the SMs, with a network between", read_decoupled};

}  // namespace heddle::decoupled_l1
