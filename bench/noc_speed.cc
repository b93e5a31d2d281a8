// What a packet costs in the crossbar, in host time: there are no tests for it, only this number.
//
//   noc_speed --benchmark_filter=...    items_per_second counts packets from input channel to output channel
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "noc/topology.h"

namespace heddle::noc {
namespace {

constexpr sim::Cycle kWindow = 8;

// inputs, outputs, flits, packets per input and 100 cycles
void crossbar(benchmark::State& state) {
  const auto inputs = static_cast<std::uint32_t>(state.range(0));
  const auto outputs = static_cast<std::uint32_t>(state.range(1));
  const auto flits = static_cast<std::uint16_t>(state.range(2));
  const auto load = static_cast<std::uint64_t>(state.range(3));
  NetworkSpec spec;
  spec.virtual_channels = 4;
  spec.input_buffer = 24;
  std::vector<std::unique_ptr<PacketChannel>> in, out;
  Ports ports;
  for (std::uint32_t i = 0; i < inputs; ++i)
    ports.in.push_back(
        in.emplace_back(std::make_unique<PacketChannel>(kWindow, spec.input_buffer, spec.virtual_channels))
            .get());
  for (std::uint32_t o = 0; o < outputs; ++o)
    ports.out.push_back(out.emplace_back(std::make_unique<PacketChannel>(kWindow, 32)).get());
  const auto network = make_network(spec, {}, ports, "network");

  std::uint64_t random = 1;
  sim::Cycle now = 0;
  for (auto _ : state) {
    for (sim::Cycle c = now; c < now + kWindow; ++c)
      for (std::uint32_t i = 0; i < inputs; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        Packet p;
        p.flits = flits;
        p.destination = static_cast<std::uint16_t>((random >> 33) % outputs);
        p.vc = mem::virtual_channel(p.destination, spec.virtual_channels);
        if ((random >> 40) % 100 >= load || !in[i]->can_send(c, p.vc)) continue;
        in[i]->send(c, p, p.vc);
      }
    network->run(now, now + kWindow);
    now += kWindow;
    for (auto& ch : out)
      while (ch->ready(now)) ch->pop(now);
    for (auto& ch : in) ch->publish();
    for (auto& ch : out) ch->publish();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(network->statistics().ejected));
  state.counters["cycles"] = benchmark::Counter(static_cast<double>(now),
                                                benchmark::Counter::kIsRate | benchmark::Counter::kDefaults);
}
BENCHMARK(crossbar)
    ->ArgNames({"in", "out", "flits", "load"})
    ->Args({12, 8, 1, 30})
    ->Args({80, 64, 1, 0})
    ->Args({80, 64, 1, 2})
    ->Args({80, 64, 1, 30})
    ->Args({80, 64, 5, 10})
    ->Args({132, 96, 1, 30});

}  // namespace
}  // namespace heddle::noc
