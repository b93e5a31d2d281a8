#include "noc/load_curve.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "sim/engine.h"
#include "sim/unit.h"

namespace heddle::noc {
namespace {

using sim::Cycle;

constexpr Cycle kWire = 1;  // before and behind the network

// All inputs' sources, as one unit.
class Sources final : public sim::Unit {
 public:
  Sources(const LoadSetup& setup, double rate, const std::vector<PacketChannel*>& channels)
      : setup_(setup),
        channels_(channels),
        chance_(static_cast<std::uint64_t>(std::min(1.0, rate / setup.flits) * 4294967296.0)),
        random_(setup.seed),
        queues_(channels.size()),
        places_(setup.spec.packet.places(setup.flits)) {}

  Cycle run(Cycle from, Cycle until) override {
    for (Cycle now = from; now < until; ++now)
      for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        send(i, now);
        if (random_.bits() >= chance_) continue;
        const std::uint32_t to = setup_.pattern->destination(
            i, setup_.grid, static_cast<std::uint32_t>(setup_.place.out.size()), random_);
        queues_[i].push_back({now, static_cast<std::uint16_t>(to)});
        if (now >= setup_.warm_up && now < setup_.warm_up + setup_.measured) ++measured_;
      }
    return until;
  }
  std::string name() const override { return "sources"; }
  std::string waits() const override { return {}; }
  std::uint64_t measured() const { return measured_; }

 private:
  struct Waiting {
    Cycle born;
    std::uint16_t destination;
  };
  void send(std::uint32_t i, Cycle now) {
    std::deque<Waiting>& queue = queues_[i];
    if (queue.empty()) return;
    const std::uint16_t vc = mem::virtual_channel(queue.front().destination, setup_.spec.virtual_channels);
    if (!channels_[i]->can_send(now, vc, places_)) return;
    Packet p;
    p.request.line = queue.front().born;
    p.source = static_cast<std::uint16_t>(i);
    p.destination = queue.front().destination;
    p.flits = setup_.flits;
    p.vc = vc;
    channels_[i]->send(now, p, vc, places_);
    queue.pop_front();
  }

  const LoadSetup& setup_;
  const std::vector<PacketChannel*>& channels_;
  const std::uint64_t chance_;  // of 2^32
  TrafficRandom random_;
  std::vector<std::deque<Waiting>> queues_;
  const std::uint32_t places_;
  std::uint64_t measured_ = 0;
};

// All outputs' receivers: they take whatever comes.
class Receivers final : public sim::Unit {
 public:
  Receivers(const LoadSetup& setup, const std::vector<PacketChannel*>& channels)
      : flits(channels.size()), setup_(setup), channels_(channels) {}

  Cycle run(Cycle from, Cycle until) override {
    for (Cycle now = from; now < until; ++now)
      for (std::size_t o = 0; o < channels_.size(); ++o)
        for (; channels_[o]->ready(now); channels_[o]->pop(now)) take(now, channels_[o]->front(), flits[o]);
    return until;
  }
  std::string name() const override { return "receivers"; }
  std::string waits() const override { return {}; }

  std::uint64_t arrived = 0;         // measured packets
  std::vector<std::uint64_t> flits;  // that arrived in the measured cycles, by output
  std::uint64_t latency_sum = 0, longest = 0;
  std::vector<std::uint32_t> packets_by_latency;

 private:
  void take(Cycle now, const Packet& p, std::uint64_t& at_output) {
    const Cycle end = setup_.warm_up + setup_.measured;
    if (now >= setup_.warm_up && now < end) at_output += p.flits;
    const Cycle born = p.request.line;
    if (born < setup_.warm_up || born >= end) return;
    const Cycle latency = now - born;
    ++arrived;
    latency_sum += latency;
    longest = std::max(longest, latency);
    if (latency >= packets_by_latency.size()) packets_by_latency.resize(2 * latency + 1);
    ++packets_by_latency[latency];
  }
  const LoadSetup& setup_;
  const std::vector<PacketChannel*>& channels_;
};

std::uint64_t percentile(const Receivers& r, std::uint64_t percent) {
  std::uint64_t seen = 0;
  for (std::uint64_t latency = 0; latency < r.packets_by_latency.size(); ++latency) {
    seen += r.packets_by_latency[latency];
    if (100 * seen >= percent * r.arrived) return latency;
  }
  return 0;
}

// The network with its surroundings.
struct LoadBench {
  LoadBench(const LoadSetup& setup, double rate)
      : ports(make_ports(setup)), sources(setup, rate, ports.in), receivers(setup, ports.out) {
    const sim::UnitId first = engine.add(sources);
    network = make_network(setup.spec, setup.place, ports, engine);
    const sim::UnitId last = engine.add(receivers);
    for (std::uint32_t i = 0; i < ports.in.size(); ++i)
      engine.connect(*ports.in[i], first, network->reader(i));
    for (std::uint32_t o = 0; o < ports.out.size(); ++o)
      engine.connect(*ports.out[o], network->writer(o), last);
  }
  Ports make_ports(const LoadSetup& setup) {
    const auto add = [&](std::uint32_t places, std::uint32_t virtual_channels) {
      channels.push_back(std::make_unique<PacketChannel>(kWire, places, virtual_channels));
      return channels.back().get();
    };
    Ports all;
    for (std::size_t i = 0; i < setup.place.in.size(); ++i)
      all.in.push_back(add(setup.spec.input_buffer, setup.spec.virtual_channels));
    const std::uint32_t room = 2 * setup.spec.ejection * kWire;  // the wire is no limit
    for (std::size_t o = 0; o < setup.place.out.size(); ++o) all.out.push_back(add(room, 1));
    return all;
  }
  void run(
      Cycle until, const std::function<bool()>& done = [] { return false; }) {
    engine.run(done, {.until = until});
  }

  sim::Engine engine{sim::EngineOptions{}};
  std::vector<std::unique_ptr<PacketChannel>> channels;
  Ports ports;
  Sources sources;
  Receivers receivers;
  std::unique_ptr<Network> network;
};

void tell_loads(const LoadSetup& setup, const LoadBench& bench, LoadPoint& point) {
  const sim::Clock& clock = setup.place.clock;
  point.network_cycles = clock.tick_from(setup.warm_up + setup.measured) - clock.tick_from(setup.warm_up);
  const NetworkStats s = bench.network->statistics();
  point.network_latency =
      s.ejected == 0 ? 0 : static_cast<double>(s.latency_sum) / static_cast<double>(s.ejected);
  point.busiest_output = static_cast<double>(s.busiest_flits) / static_cast<double>(point.network_cycles);
  point.output_flits = bench.receivers.flits;
  point.links = bench.network->link_loads();
}

}  // namespace

LoadPoint measure_load(const LoadSetup& setup, double rate) {
  LoadBench bench(setup, rate);
  const Cycle end = Cycle{setup.warm_up} + setup.measured;
  bench.run(setup.warm_up);
  bench.network->clear_statistics();
  bench.run(end);
  LoadPoint point;
  tell_loads(setup, bench, point);
  // Twice as long again: what has not arrived then was kept by a queue that grows.
  const auto all_there = [&] { return bench.receivers.arrived == bench.sources.measured(); };
  bench.run(end + 2 * Cycle{setup.measured}, all_there);

  const Receivers& r = bench.receivers;
  point.offered = rate;
  const std::uint64_t flits = std::accumulate(r.flits.begin(), r.flits.end(), std::uint64_t{0});
  point.accepted = static_cast<double>(flits) /
                   (static_cast<double>(setup.measured) * static_cast<double>(setup.place.in.size()));
  point.packets = r.arrived;
  // A queue that grows slowly is empty again by the end: so what arrived in the measured cycles counts, too.
  const std::uint64_t born = bench.sources.measured() * setup.flits;
  const std::uint64_t under_way = setup.flits * std::uint64_t{setup.place.in.size()};
  point.keeps_up = all_there() && 20 * (flits + under_way) >= 19 * born;
  point.latency = r.arrived == 0 ? 0 : static_cast<double>(r.latency_sum) / static_cast<double>(r.arrived);
  point.longest = r.longest;
  point.p99 = percentile(r, 99);
  return point;
}

std::vector<LinkLoad> busiest_links(const LoadPoint& point, std::size_t most) {
  std::vector<LinkLoad> links = point.links;
  std::erase_if(links, [](const LinkLoad& l) { return l.flits == 0; });
  std::stable_sort(links.begin(), links.end(),
                   [](const LinkLoad& a, const LinkLoad& b) { return a.flits > b.flits; });
  if (links.size() > most) links.resize(most);
  return links;
}

double zero_load_latency(const LoadSetup& setup) {
  if (setup.pattern->to_all)
    return setup.spec.design->unloaded(setup.spec, setup.place, setup.flits) + 1 + 2 * kWire;
  return measure_load(setup, 0.002 * setup.flits).latency;
}

double saturation(const LoadSetup& setup, double times, double exact, double most) {
  const double limit = times * zero_load_latency(setup);
  const auto below = [&](double rate) {
    const LoadPoint p = measure_load(setup, rate);
    return p.keeps_up && p.latency < limit;
  };
  if (below(most)) return most;
  double low = 0;
  for (double high = most; high - low > exact;) {
    const double middle = (low + high) / 2;
    (below(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace heddle::noc
