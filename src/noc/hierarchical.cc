#include "noc/hierarchical.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::noc {

using sim::Cycle;

void HierarchicalSpec::fields(config::Reader& r) {
  using config::range;
  r.field("clusters", clusters, range(0, 1024),
          "Crossbars beside the cores (Z), each for as many of their ports; 0: the largest divisor of the "
          "ports that is not above the square root");
  r.field("links", links, range(0, 1024),
          "Crossbars beside L2 (M), each for as many slices, with a link to each of the others; 0: the "
          "largest divisor of the slices that is not above the square root");
  r.field("near_boost", near_boost, range(1, 16),
          "Clock of the crossbars beside the cores, in clocks of the network");
  r.field("far_boost", far_boost, range(1, 16), "Clock of the crossbars beside L2, in clocks of the network");
  r.field("link_latency", link_latency, range(1, 10'000), "Core cycles from one stage to the other");
  r.field("link_buffer", link_buffer, range(0, 4096),
          "Packets (or flits: buffers) at the end of a link and virtual channel, counted from when they are "
          "sent to when they cross; 0: input_buffer");
  crossbars.fields(r);
}

std::uint32_t default_groups(std::uint32_t ports) {
  std::uint32_t most = 1;
  for (std::uint32_t d = 2; d * d <= ports; ++d)
    if (ports % d == 0) most = d;
  return most;
}

namespace {

// Crossbars of one stage, in the order in which packets pass them.
struct Stage {
  std::uint32_t count, inputs, outputs;  // ports: of each
  std::uint32_t boost;
};

// What a network looks like between its ports.
struct Stages {
  Stage first, second;
  // Z and M.
  static std::pair<std::uint32_t, std::uint32_t> groups(const HierarchicalSpec& own,
                                                        const NetworkPlace& place) {
    const bool request = place.direction == Direction::Request;
    const auto cores = static_cast<std::uint32_t>((request ? place.in : place.out).size());
    const auto slices = static_cast<std::uint32_t>((request ? place.out : place.in).size());
    return {own.clusters != 0 ? own.clusters : default_groups(cores),
            own.links != 0 ? own.links : default_groups(slices)};
  }
  Stages(const HierarchicalSpec& own, const NetworkPlace& place) {
    const auto [z, m] = groups(own, place);
    const bool request = place.direction == Direction::Request;
    const auto in = static_cast<std::uint32_t>(place.in.size()),
               out = static_cast<std::uint32_t>(place.out.size());
    if (request) {
      first = {z, in / z, m, own.near_boost};
      second = {m, z, out / m, own.far_boost};
    } else {
      first = {m, in / m, z, own.far_boost};
      second = {z, m, out / z, own.near_boost};
    }
  }
  std::uint32_t links() const { return first.count * second.count; }
};

sim::Clock boosted(const sim::Clock& clock, std::uint32_t boost) {
  return {Frequency{clock.ticks() * boost}, Frequency{clock.cycles()}};
}

// As the crossbars that the links lead to have them.
NetworkSpec behind_links(const NetworkSpec& spec, const HierarchicalSpec& own) {
  NetworkSpec s = spec;
  if (own.link_buffer != 0) s.input_buffer = own.link_buffer;
  return s;
}

class Hierarchical final : public Network {
 public:
  Hierarchical(const HierarchicalSpec& own, const NetworkSpec& spec, const NetworkPlace& place,
               const Ports& ports, sim::Engine& engine);

  sim::UnitId reader(std::uint32_t input) const override {
    return first_[input / stages_.first.inputs]->reader(0);
  }
  sim::UnitId writer(std::uint32_t output) const override {
    return second_[output / stages_.second.outputs]->writer(0);
  }
  NetworkStats statistics() const override;
  void clear_statistics() override {
    for (const auto& c : first_) c->clear_statistics();
    for (const auto& c : second_) c->clear_statistics();
  }
  std::uint64_t in_flight() const override {
    std::uint64_t n = 0;
    for (const auto& c : first_) n += c->in_flight();
    for (const auto& l : links_) n += l->sent() - l->taken();
    for (const auto& c : second_) n += c->in_flight();
    return n;
  }

 private:
  PacketChannel& link(std::uint32_t from, std::uint32_t to) {
    return *links_[from * stages_.second.count + to];
  }

  const Stages stages_;
  const sim::Clock clock_;
  const Cycle link_latency_;
  std::vector<std::unique_ptr<PacketChannel>> links_;  // [of the first stage][of the second]
  std::vector<std::unique_ptr<Network>> first_, second_;
};

Hierarchical::Hierarchical(const HierarchicalSpec& own, const NetworkSpec& spec, const NetworkPlace& place,
                           const Ports& ports, sim::Engine& engine)
    : stages_(own, place), clock_(place.clock), link_latency_(own.link_latency) {
  const auto& [a, b] = stages_;
  const NetworkSpec behind = behind_links(spec, own);
  for (std::uint32_t l = 0; l < stages_.links(); ++l)
    links_.push_back(
        std::make_unique<PacketChannel>(own.link_latency, behind.input_buffer, spec.virtual_channels));
  for (std::uint32_t k = 0; k < a.count; ++k) {
    Ports p;
    const auto in = ports.in.begin() + std::ptrdiff_t{k} * a.inputs;
    p.in.assign(in, in + a.inputs);
    for (std::uint32_t o = 0; o < a.outputs; ++o) p.out.push_back(&link(k, o));
    first_.push_back(make_crossbar(own.crossbars, spec, boosted(clock_, a.boost), p, {0, b.outputs, true},
                                   fmt::format("{}, first stage {}", place.name, k), engine));
  }
  for (std::uint32_t k = 0; k < b.count; ++k) {
    Ports p;
    const auto out = ports.out.begin() + std::ptrdiff_t{k} * b.outputs;
    for (std::uint32_t i = 0; i < b.inputs; ++i) p.in.push_back(&link(i, k));
    p.out.assign(out, out + b.outputs);
    second_.push_back(make_crossbar(own.crossbars, behind, boosted(clock_, b.boost), p, {k * b.outputs},
                                    fmt::format("{}, second stage {}", place.name, k), engine));
  }
  for (std::uint32_t i = 0; i < a.count; ++i)
    for (std::uint32_t k = 0; k < b.count; ++k)
      engine.connect(link(i, k), first_[i]->writer(k), second_[k]->reader(i));
}

// Packets enter by the first stage and leave by the second; time is spent in both and on the links. Stages
// count in their own ticks.
NetworkStats Hierarchical::statistics() const {
  NetworkStats a, b;
  for (const auto& c : first_) a += c->statistics();
  for (const auto& c : second_) b += c->statistics();
  const std::uint64_t of_a = stages_.first.boost, of_b = stages_.second.boost;
  const auto cycles = [&](std::uint64_t first, std::uint64_t second) {
    return (first * of_b + second * of_a) / (of_a * of_b);
  };
  NetworkStats s = b;
  s.injected = a.injected;
  s.input_stalls = cycles(a.input_stalls, b.input_stalls);
  s.output_stalls = cycles(a.output_stalls, b.output_stalls);
  s.latency_sum =
      cycles(a.latency_sum, b.latency_sum) + b.injected * link_latency_ * clock_.ticks() / clock_.cycles();
  return s;
}

class HierarchicalTopology final : public Topology {
 public:
  explicit HierarchicalTopology(const HierarchicalSpec& spec) : own_(spec) {}
  std::optional<Obstacle> obstacle(const NetworkSpec& spec, const NetworkPlace& place) const override;
  std::unique_ptr<Network> make(const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
                                sim::Engine& engine) const override {
    return std::make_unique<Hierarchical>(own_, spec, place, ports, engine);
  }
  double unloaded(const NetworkSpec& spec, const NetworkPlace& place, std::uint32_t flits) const override;
  double peak_flits(const NetworkPlace& place) const override;
  std::string shape(const NetworkPlace& place) const override;
  mem::Structure structure(const NetworkSpec& spec, const NetworkPlace& place,
                           const BufferPlan& plan) const override;
  std::uint32_t least_buffer(const NetworkSpec& spec) const override {
    return std::min(Topology::least_buffer(spec), behind_links(spec, own_).input_buffer);
  }

 private:
  HierarchicalSpec own_;
};

std::optional<Topology::Obstacle> HierarchicalTopology::obstacle(const NetworkSpec&,
                                                                 const NetworkPlace& place) const {
  const bool request = place.direction == Direction::Request;
  const std::size_t cores = (request ? place.in : place.out).size();
  const std::size_t slices = (request ? place.out : place.in).size();
  if (std::max(cores, slices) > kHierarchicalPorts)
    return Obstacle{
        "topology",
        fmt::format("a hierarchical crossbar has 1 to {} inputs and outputs; {} would have {} x {}",
                    kHierarchicalPorts, place.name, place.in.size(), place.out.size()),
        "let several SMs share a cluster's port, or several memory channels a partition's"};
  const auto [z, m] = Stages::groups(own_, place);
  const auto uneven = [](const char* key, std::uint32_t n, std::size_t ports, const char* of) {
    return Obstacle{key, fmt::format("{} crossbars cannot have as many of {} {} each", n, ports, of),
                    fmt::format("give a divisor of {}, or 0", ports)};
  };
  if (cores % z != 0) return uneven("hierarchical.clusters", z, cores, "ports of cores");
  if (slices % m != 0) return uneven("hierarchical.links", m, slices, "L2 slices");
  const auto large = [](const char* key, std::size_t ports) {
    return Obstacle{
        key,
        fmt::format("a crossbar of the hierarchy would have {} ports at a side, and has at most {}", ports,
                    kCrossbarPorts),
        "give both stages more crossbars, or fewer where they are many"};
  };
  if (const std::size_t n = std::max<std::size_t>(cores / z, z); n > kCrossbarPorts)
    return large("hierarchical.clusters", n);
  if (const std::size_t n = std::max<std::size_t>(slices / m, m); n > kCrossbarPorts)
    return large("hierarchical.links", n);
  return {};
}

// Averaged over the phases of the network's clock: at both stages a packet waits for the next tick.
double HierarchicalTopology::unloaded(const NetworkSpec&, const NetworkPlace& place,
                                      std::uint32_t flits) const {
  const Stages stages(own_, place);
  const sim::Clock a = boosted(place.clock, stages.first.boost),
                   b = boosted(place.clock, stages.second.boost);
  const std::uint64_t ticks = 1 + own_.crossbars.packet_setup + flits;
  constexpr Cycle kPhases = 5040;
  std::uint64_t sum = 0;
  for (Cycle phase = 1; phase <= kPhases; ++phase) {
    const Cycle at = a.cycle_of(a.tick_from(phase) + ticks) + own_.link_latency;
    sum += b.cycle_of(b.tick_from(at) + ticks) - phase;
  }
  return static_cast<double>(sum) / static_cast<double>(kPhases);
}

// The narrowest of inputs, links and outputs; a link is as fast as the slower of its ends.
double HierarchicalTopology::peak_flits(const NetworkPlace& place) const {
  const auto [a, b] = Stages(own_, place);
  const std::uint32_t in = a.count * a.inputs * a.boost;
  const std::uint32_t between = a.count * b.count * std::min(a.boost, b.boost);
  const std::uint32_t out = b.count * b.outputs * b.boost;
  return std::min({in, between, out});
}

std::string HierarchicalTopology::shape(const NetworkPlace& place) const {
  const auto [a, b] = Stages(own_, place);
  const auto stage = [](const Stage& s) {
    return fmt::format("{} of {} x {}{}", s.count, s.inputs, s.outputs,
                       s.boost == 1 ? "" : fmt::format(" at {}x clock", s.boost));
  };
  return fmt::format("crossbars {}, then {}", stage(a), stage(b));
}

// Crossbars beside the cores stand in the middle of their clusters, each with 1/Z of the die; those beside L2
// in the middle of the die. A link has the clock of who sends.
mem::Structure HierarchicalTopology::structure(const NetworkSpec& spec, const NetworkPlace& place,
                                               const BufferPlan& plan) const {
  const Stages stages(own_, place);
  const auto& [a, b] = stages;
  const auto at = [&](const Stage& s, NetworkSpec of) {
    of.clock = Frequency{frequency_of(spec, place).count() * s.boost};
    return of;
  };
  const NetworkSpec first = at(a, spec), second = at(b, behind_links(spec, own_));
  mem::Structure all;
  all.crossbars.push_back(switch_part(first, place, plan, a.inputs, a.outputs));
  all.crossbars.back().count = a.count;
  all.crossbars.push_back(
      switch_part(second, place, {own_.link_latency, plan.packet_flits}, b.inputs, b.outputs));
  all.crossbars.back().count = b.count;
  const bool request = place.direction == Direction::Request;
  const double in_cluster = 1 / std::sqrt(static_cast<double>(request ? a.count : b.count));
  const Bytes width = spec.packet.flit;
  all.links.push_back({a.count * a.inputs, width, 0, request ? in_cluster : 1, first.clock});
  all.links.push_back({stages.links(), width, 0, 1, first.clock});
  all.links.push_back({b.count * b.outputs, width, 0, request ? 1 : in_cluster, second.clock});
  return all;
}

}  // namespace

std::shared_ptr<const Topology> read_hierarchical(config::Reader& section) {
  HierarchicalSpec spec;
  spec.fields(section);
  return std::make_shared<HierarchicalTopology>(spec);
}

}  // namespace heddle::noc
