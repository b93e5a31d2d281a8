#include "noc/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "noc/ring_layout.h"
#include "noc/ring_router.h"
#include "stats/snapshot.h"

namespace heddle::noc {

using sim::Cycle;

void RingSpec::fields(config::Reader& r) {
  using config::range;
  r.field("ports_per_router", ports_per_router, range(1, 64),
          "Clusters and L2 slices that share a router of the ring");
  r.field("link_latency", link_latency, range(1, 10'000), "Core cycles from a router to the next");
  r.field(
      "link_buffer", link_buffer, range(1, 4096),
      "Packets (or flits: buffers) at the end of a link, in each of its two virtual channels, counted from "
      "when they are sent to when they go on");
}

// Who stands first does not depend on the direction, so that both networks of a machine have one floor plan.
RingLayout::RingLayout(const NetworkPlace& place, std::uint32_t ports_per_router) {
  const bool request = place.direction == Direction::Request;
  const std::size_t clusters = (request ? place.in : place.out).size();
  const std::size_t slices = (request ? place.out : place.in).size();
  std::vector<std::uint32_t>& cluster_at = request ? input_at_ : output_at_;
  std::vector<std::uint32_t>& slice_at = request ? output_at_ : input_at_;
  // The c-th of n stands at (c + 1/2) / n of the way round.
  for (std::size_t stop = 0; stop < clusters + slices; ++stop) {
    const std::size_t c = cluster_at.size(), s = slice_at.size();
    const bool cluster = c < clusters && (s == slices || (2 * c + 1) * slices <= (2 * s + 1) * clusters);
    (cluster ? cluster_at : slice_at).push_back(static_cast<std::uint32_t>(stop / ports_per_router));
  }
  routers_ = static_cast<std::uint32_t>((clusters + slices + ports_per_router - 1) / ports_per_router);
}

namespace {

class Ring final : public Network {
 public:
  Ring(const RingSpec& ring, const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
       sim::Engine& engine);

  sim::UnitId reader(std::uint32_t input) const override { return ids_[layout_.router_of_input(input)]; }
  sim::UnitId writer(std::uint32_t output) const override { return ids_[layout_.router_of_output(output)]; }
  NetworkStats statistics() const override {
    NetworkStats sum;
    for (const auto& r : routers_) sum += r->statistics();
    return sum;
  }
  std::vector<LinkLoad> link_loads() const override;
  void clear_statistics() override {
    for (auto& r : routers_) r->clear_statistics();
  }
  std::uint64_t in_flight() const override {
    std::int64_t inside = 0;
    for (const auto& r : routers_) inside += r->balance();
    return static_cast<std::uint64_t>(inside);
  }

 private:
  const RingLayout layout_;
  std::vector<std::unique_ptr<RingLink>> links_;  // [router that it leaves][direction]
  std::vector<std::unique_ptr<RingRouter>> routers_;
  std::vector<sim::UnitId> ids_;
};

Ring::Ring(const RingSpec& ring, const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
           sim::Engine& engine)
    : layout_(place, ring.ports_per_router) {
  constexpr std::array kTurns = {Turn::Up, Turn::Down};
  const std::uint32_t n = layout_.routers();
  std::vector<RingRouter::Wires> wires(n);
  for (std::uint32_t i = 0; i < ports.in.size(); ++i)
    wires[layout_.router_of_input(i)].in_ports.push_back(ports.in[i]);
  for (std::uint32_t o = 0; o < ports.out.size(); ++o)
    wires[layout_.router_of_output(o)].out_ports.push_back({o, ports.out[o]});
  for (std::uint32_t r = 0; r < n && n > 1; ++r)
    for (const Turn turn : kTurns) {
      links_.push_back(std::make_unique<RingLink>(ring.link_latency, ring.link_buffer, kRingVirtualChannels));
      const auto d = static_cast<std::size_t>(turn);
      wires[r].out[d] = wires[layout_.neighbour(r, turn)].in[d] = links_.back().get();
    }
  for (std::uint32_t r = 0; r < n; ++r) {
    routers_.push_back(std::make_unique<RingRouter>(spec, place.clock, layout_, r,
                                                    static_cast<std::uint32_t>(ports.out.size()), wires[r],
                                                    fmt::format("{}, router {}", place.name, r)));
    ids_.push_back(engine.add(*routers_.back()));
  }
  for (std::uint32_t r = 0; r < n && n > 1; ++r)
    for (const Turn turn : kTurns)
      engine.connect(*wires[r].out[static_cast<std::size_t>(turn)], ids_[r],
                     ids_[layout_.neighbour(r, turn)]);
}

std::vector<LinkLoad> Ring::link_loads() const {
  std::vector<LinkLoad> all;
  for (std::uint32_t r = 0; r < routers_.size() && routers_.size() > 1; ++r)
    for (const Turn turn : {Turn::Up, Turn::Down})
      all.push_back({fmt::format("router {} {}", r, turn == Turn::Up ? "up" : "down"), r,
                     layout_.neighbour(r, turn), routers_[r]->crossed(turn)});
  return all;
}

class RingTopology final : public Topology {
 public:
  explicit RingTopology(const RingSpec& spec) : ring_(spec) {}
  std::unique_ptr<Network> make(const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
                                sim::Engine& engine) const override;
  double unloaded(const NetworkSpec& spec, const NetworkPlace& place, std::uint32_t flits) const override;
  double peak_flits(const NetworkPlace& place) const override;
  std::string shape(const NetworkPlace& place) const override;
  mem::Structure structure(const NetworkSpec& spec, const NetworkPlace& place,
                           const BufferPlan& plan) const override;
  std::uint32_t least_buffer(const NetworkSpec& spec) const override {
    return std::min(Topology::least_buffer(spec), ring_.link_buffer);
  }

 private:
  double crossing(const sim::Clock& clock, std::uint32_t hops, std::uint32_t flits) const;
  RingSpec ring_;
};

std::unique_ptr<Network> RingTopology::make(const NetworkSpec& spec, const NetworkPlace& place,
                                            const Ports& ports, sim::Engine& engine) const {
  if (std::max(ports.in.size(), ports.out.size()) > kRingPorts)
    throw Error(fmt::format("a ring has 1 to {} inputs and outputs; {} would have {} x {}", kRingPorts,
                            place.name, ports.in.size(), ports.out.size()));
  return std::make_unique<Ring>(ring_, spec, place, ports, engine);
}

// Averaged over the phases of the clock: at every router a packet waits for the next tick.
double RingTopology::crossing(const sim::Clock& clock, std::uint32_t hops, std::uint32_t flits) const {
  if (clock.same_as_core()) return std::uint64_t{hops} * (1 + ring_.link_latency) + 1 + flits;
  constexpr Cycle kPhases = 720;
  std::uint64_t sum = 0;
  for (Cycle phase = 1; phase <= kPhases; ++phase) {
    Cycle at = phase;
    for (std::uint32_t h = 0; h < hops; ++h)
      at = clock.cycle_of(clock.tick_from(at) + 1) + ring_.link_latency;
    sum += clock.cycle_of(clock.tick_from(at) + 1 + flits) - phase;
  }
  return static_cast<double>(sum) / static_cast<double>(kPhases);
}

double RingTopology::unloaded(const NetworkSpec&, const NetworkPlace& place, std::uint32_t flits) const {
  const RingLayout layout(place, ring_.ports_per_router);
  std::map<std::uint32_t, std::uint64_t> pairs;  // by hops
  for (std::uint32_t i = 0; i < place.in.size(); ++i)
    for (std::uint32_t o = 0; o < place.out.size(); ++o)
      ++pairs[layout.hops(layout.router_of_input(i), layout.router_of_output(o))];
  double sum = 0;
  for (const auto& [hops, n] : pairs) sum += static_cast<double>(n) * crossing(place.clock, hops, flits);
  return sum / static_cast<double>(place.in.size() * place.out.size());
}

// The busiest link decides, or the narrower side.
double RingTopology::peak_flits(const NetworkPlace& place) const {
  const RingLayout layout(place, ring_.ports_per_router);
  std::vector<std::uint64_t> pairs_over(2 * std::size_t{layout.routers()});  // by link
  for (std::uint32_t i = 0; i < place.in.size(); ++i)
    for (std::uint32_t o = 0; o < place.out.size(); ++o) {
      std::uint32_t at = layout.router_of_input(i);
      const std::uint32_t to = layout.router_of_output(o);
      if (at == to) continue;
      for (const Turn turn = layout.turn(at, to); at != to; at = layout.neighbour(at, turn))
        ++pairs_over[2 * at + static_cast<std::size_t>(turn)];
    }
  const std::uint64_t busiest = *std::max_element(pairs_over.begin(), pairs_over.end());
  const auto ports = static_cast<double>(std::min(place.in.size(), place.out.size()));
  if (busiest == 0) return ports;
  return std::min(ports,
                  static_cast<double>(place.in.size() * place.out.size()) / static_cast<double>(busiest));
}

std::string RingTopology::shape(const NetworkPlace& place) const {
  return fmt::format("ring of {} routers, {} x {}", RingLayout(place, ring_.ports_per_router).routers(),
                     place.in.size(), place.out.size());
}

// Routers stand at their ports, on a square around the middle of the die. Those with the same numbers of
// ports are alike; all inputs of one have the mean of its buffers.
mem::Structure RingTopology::structure(const NetworkSpec& spec, const NetworkPlace& place,
                                       const BufferPlan& plan) const {
  const RingLayout layout(place, ring_.ports_per_router);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> local(layout.routers());  // inputs, outputs
  for (std::uint32_t i = 0; i < place.in.size(); ++i) ++local[layout.router_of_input(i)].first;
  for (std::uint32_t o = 0; o < place.out.size(); ++o) ++local[layout.router_of_output(o)].second;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> alike;
  for (const auto& ports : local) ++alike[ports];

  constexpr std::uint32_t kChannels = 2;  // of a link
  const std::uint32_t links = layout.routers() > 1 ? 2 : 0;
  const std::uint32_t of_link =
      flits_at_end(spec, place, {ring_.link_latency, plan.packet_flits}, ring_.link_buffer);
  double hops = 0;  // if every input sends to every output alike
  for (std::uint32_t i = 0; i < place.in.size(); ++i)
    for (std::uint32_t o = 0; o < place.out.size(); ++o)
      hops += layout.hops(layout.router_of_input(i), layout.router_of_output(o));
  hops /= static_cast<double>(place.in.size() * place.out.size());
  mem::Structure all;
  for (const auto& [ports, count] : alike) {
    mem::CrossbarPart part = switch_part(spec, place, plan, ports.first + links, ports.second + links);
    const std::uint32_t flits =
        links * kChannels * of_link + ports.first * part.virtual_channels * part.buffer_flits;
    part.count = count;
    part.virtual_channels = kChannels;
    part.buffer_flits = std::max(1u, flits / (kChannels * part.inputs));
    part.iterations = 1;
    part.crossings = (1 + hops) * count / layout.routers();
    all.crossbars.push_back(part);
  }
  if (links != 0)
    all.links.push_back({links * layout.routers(), spec.packet.flit, 0, 4.0 / layout.routers(),
                         frequency_of(spec, place), hops});
  return all;
}

}  // namespace

std::shared_ptr<const Topology> read_ring(config::Reader& section) {
  RingSpec spec;
  spec.fields(section);
  return std::make_shared<RingTopology>(spec);
}

}  // namespace heddle::noc
