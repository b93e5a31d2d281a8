// What a packet costs in each topology, in host time: there are no tests for it, only this number.
//
//   noc_speed --benchmark_filter=...    items_per_second counts packets from input channel to output channel
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sim/engine.h"

namespace heddle::noc {
namespace {

constexpr sim::Cycle kLatency = 8;  // of the channels at the ports

// Both ends of the network: sends at random, takes everything.
struct Ends final : sim::Unit {
  sim::Cycle run(sim::Cycle from, sim::Cycle until) override {
    for (; from < until; ++from) {
      for (std::size_t i = 0; i < in.size(); ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        Packet p;
        p.flits = flits;
        p.destination = static_cast<std::uint16_t>((random >> 33) % out.size());
        p.vc = mem::virtual_channel(p.destination, in[i]->virtual_channels());
        if ((random >> 40) % 100 < load && in[i]->can_send(from, p.vc)) in[i]->send(from, p, p.vc);
      }
      for (auto& channel : out)
        while (channel->ready(from)) channel->pop(from);
    }
    return until;
  }
  std::string name() const override { return "ends"; }
  std::string waits() const override { return {}; }

  std::vector<std::unique_ptr<PacketChannel>> in, out;
  std::uint16_t flits = 1;
  std::uint64_t load = 0, random = 1;
};

// inputs, outputs, flits, packets per input and 100 cycles
void network(benchmark::State& state, const TopologyKind& kind) {
  NetworkSpec spec;
  config::Reader defaults(nullptr, nullptr);
  spec.design = kind.read(defaults);
  spec.virtual_channels = 4;
  const mem::AddressMap map{mem::AddressMapSpec{}};
  NetworkPlace place{"network", Direction::Request, {}, {}, 1400_MHz, {}, map};
  place.in.resize(static_cast<std::size_t>(state.range(0)));
  place.out.resize(static_cast<std::size_t>(state.range(1)));
  Ends ends;
  ends.flits = static_cast<std::uint16_t>(state.range(2));
  ends.load = static_cast<std::uint64_t>(state.range(3));
  Ports ports;
  for (std::size_t i = 0; i < place.in.size(); ++i)
    ports.in.push_back(
        ends.in
            .emplace_back(std::make_unique<PacketChannel>(kLatency, spec.input_buffer, spec.virtual_channels))
            .get());
  for (std::size_t o = 0; o < place.out.size(); ++o)
    ports.out.push_back(ends.out.emplace_back(std::make_unique<PacketChannel>(kLatency, 32)).get());
  sim::Engine engine(sim::EngineOptions{});
  const sim::UnitId id = engine.add(ends);
  const auto made = make_network(spec, place, ports, engine);
  for (std::uint32_t i = 0; i < ports.in.size(); ++i) engine.connect(*ports.in[i], id, made->reader(i));
  for (std::uint32_t o = 0; o < ports.out.size(); ++o) engine.connect(*ports.out[o], made->writer(o), id);
  for (auto _ : state) engine.run([] { return false; }, {.until = engine.now() + 100});
  state.SetItemsProcessed(static_cast<std::int64_t>(made->statistics().ejected));
  state.counters["cycles"] = benchmark::Counter(static_cast<double>(engine.now()),
                                                benchmark::Counter::kIsRate | benchmark::Counter::kDefaults);
}

const bool kRegistered = [] {
  for (const TopologyKind& kind : topologies())
    benchmark::RegisterBenchmark(std::string(kind.name).c_str(),
                                 [&kind](benchmark::State& state) { network(state, kind); })
        ->ArgNames({"in", "out", "flits", "load"})
        ->Args({12, 8, 1, 30})
        ->Args({80, 64, 1, 0})
        ->Args({80, 64, 1, 2})
        ->Args({80, 64, 1, 30})
        ->Args({80, 64, 5, 10})
        ->Args({132, 96, 1, 30});
  return true;
}();

}  // namespace
}  // namespace heddle::noc
