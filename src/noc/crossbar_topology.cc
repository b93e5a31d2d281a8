// Crossbars as a topology: one, or several side by side; where the place has direct links, these among them.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "noc/crossbar.h"
#include "noc/link.h"

namespace heddle::noc {
namespace {

// Crossbars side by side, each with its own ports.
class Crossbars final : public Network {
 public:
  void add(std::unique_ptr<Network> part, std::uint32_t inputs, std::uint32_t outputs) {
    for (std::uint32_t i = 0; i < inputs; ++i) readers_.push_back(part->reader(i));
    for (std::uint32_t o = 0; o < outputs; ++o) writers_.push_back(part->writer(o));
    parts_.push_back(std::move(part));
  }
  sim::UnitId reader(std::uint32_t input) const override { return readers_[input]; }
  sim::UnitId writer(std::uint32_t output) const override { return writers_[output]; }
  NetworkStats statistics() const override {
    NetworkStats sum;
    for (const auto& p : parts_) sum += p->statistics();
    return sum;
  }
  void clear_statistics() override {
    for (const auto& p : parts_) p->clear_statistics();
  }
  std::uint64_t in_flight() const override {
    std::uint64_t n = 0;
    for (const auto& p : parts_) n += p->in_flight();
    return n;
  }

 private:
  std::vector<std::unique_ptr<Network>> parts_;
  std::vector<sim::UnitId> readers_, writers_;
};

class CrossbarTopology final : public Topology {
 public:
  explicit CrossbarTopology(const CrossbarSpec& spec) : own_(spec) {}
  std::unique_ptr<Network> make(const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
                                sim::Engine& engine) const override;
  double unloaded(const NetworkSpec&, const NetworkPlace& place, std::uint32_t flits) const override {
    const auto of_part = [&](std::size_t k) {
      return sim::mean_cycles(place.clock, place.is_link(k) ? flits : 1 + own_.packet_setup + flits);
    };
    // By inputs: parts need not be of one size.
    double sum = 0;
    for (std::size_t k = 0; k < place.parts.size(); ++k) sum += place.inputs(k) * of_part(k);
    return sum / static_cast<double>(place.in.size());
  }
  // The narrower side counts: packets enter at one and leave at the other.
  double peak_flits(const NetworkPlace& place) const override {
    double sum = 0;
    for (std::size_t p = 0; p < place.parts.size(); ++p) sum += std::min(place.inputs(p), place.outputs(p));
    return sum;
  }
  std::string shape(const NetworkPlace& place) const override;
  mem::Structure structure(const NetworkSpec& spec, const NetworkPlace& place,
                           const BufferPlan& plan) const override {
    return central_switch(spec, place, plan);
  }

 private:
  CrossbarSpec own_;
};

std::unique_ptr<Network> CrossbarTopology::make(const NetworkSpec& spec, const NetworkPlace& place,
                                                const Ports& ports, sim::Engine& engine) const {
  const auto make_part = [&](std::size_t k, const Ports& own, std::string name) {
    if (place.is_link(k))
      return make_link(spec, place.clock, *own.in[0], *own.out[0], std::move(name), engine);
    return make_crossbar(own_, spec, place.clock, own, {place.parts[k].out}, std::move(name), engine);
  };
  if (place.parts.size() == 1) return make_part(0, ports, place.name);
  auto all = std::make_unique<Crossbars>();
  for (std::size_t k = 0; k < place.parts.size(); ++k) {
    const NetworkPlace::Part first = place.parts[k];
    Ports own;
    own.in.assign(ports.in.begin() + first.in, ports.in.begin() + first.in + place.inputs(k));
    own.out.assign(ports.out.begin() + first.out, ports.out.begin() + first.out + place.outputs(k));
    all->add(make_part(k, own, fmt::format("{} {}", place.name, k)), place.inputs(k), place.outputs(k));
  }
  return all;
}

std::string CrossbarTopology::shape(const NetworkPlace& place) const {
  if (place.is_link(0)) return counted(place.parts.size(), "direct link");
  if (place.parts.size() == 1) return fmt::format("crossbar {} x {}", place.in.size(), place.out.size());
  return fmt::format("{} crossbars {} x {}", place.parts.size(), place.inputs(0), place.outputs(0));
}

}  // namespace

void CrossbarSpec::fields(config::Reader& r) {
  r.field(
      "packet_setup", packet_setup, config::range(0, 64),
      "Network cycles in which a packet holds its input and its output before its first flit crosses; 1: a "
      "virtual channel is allocated before the switch");
  r.field("setup_ahead", setup_ahead,
          "Network cycles that a packet has waited in its input's buffer are among those of packet_setup: it "
          "gets its virtual channel while another packet crosses");
}

std::shared_ptr<const Topology> read_crossbar(config::Reader& section) {
  CrossbarSpec spec;
  spec.fields(section);
  return std::make_shared<CrossbarTopology>(spec);
}

}  // namespace heddle::noc
