#include "noc/network.h"

#include <algorithm>

namespace heddle::noc {

sim::Clock clock_of(const NetworkSpec& spec, Frequency core) {
  return spec.clock == Frequency{0} ? sim::Clock{} : sim::Clock(spec.clock, core);
}

std::uint32_t places_of_wire(const NetworkSpec& spec, Frequency core, std::uint32_t wire) {
  const std::uint64_t all = core.count(), own = spec.clock == Frequency{0} ? all : spec.clock.count();
  return static_cast<std::uint32_t>((2 * std::uint64_t{wire} * own + all - 1) / all);
}

NetworkStats& NetworkStats::operator+=(const NetworkStats& o) {
  injected += o.injected;
  ejected += o.ejected;
  flits += o.flits;
  input_stalls += o.input_stalls;
  output_stalls += o.output_stalls;
  latency_sum += o.latency_sum;
  busiest_flits = std::max(busiest_flits, o.busiest_flits);
  return *this;
}

void NetworkStats::statistics(stats::Visitor& v) {
  v.counter("injected", injected, {"packets", "Packets that entered the network"});
  v.counter("ejected", ejected, {"packets", "Packets that left the network"});
  v.counter("flits", flits, {"flits", "Flits that crossed; each occupies an output for a network cycle"});
  v.counter("input_stalls", input_stalls,
            {"network cycles", "Cycles that packets at the head of an input's queue could not move, summed"});
  v.counter("output_stalls", output_stalls,
            {"network cycles", "Cycles that complete packets waited in an output to be handed over, summed"});
  v.counter("latency_sum", latency_sum, {"network cycles", "From entering to leaving, summed over packets"});
  v.counter("busiest_flits", busiest_flits,
            {"flits",
             "Flits of the output that received most, kernel by kernel: per network cycle, the "
             "utilisation of the busiest link"});
  v.ratio("latency", latency_sum, ejected, {"network cycles", "Mean time of a packet inside the network"});
  v.ratio("flits_per_packet", flits, injected, {"flits", "Mean length of a packet"});
}

}  // namespace heddle::noc
