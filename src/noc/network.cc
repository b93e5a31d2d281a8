#include "noc/network.h"

#include "noc/topology.h"

namespace heddle::noc {

void NetworkSpec::fields(config::Reader& r) {
  using config::range;
  std::vector<config::NamedChoice> names;
  for (const Topology& t : topologies()) names.push_back({std::string(t.name), std::string(t.description)});
  r.choice("topology", topology, names, "How inputs and outputs are connected");
  r.field("flit", packet.flit, range(1_B, 1_KiB), "Width of a channel: bytes per network cycle and port");
  r.field("header", packet.header, range(0_B, 256_B), "Bytes of every packet that are not data");
  r.field("clock", clock, range(Frequency{0}, 100_GHz), "Network clock; 0: the clock of the cores");
  r.field("input_buffer", input_buffer, range(1, 4096),
          "Packets per input port and virtual channel, counted from when they are sent to when they cross");
  r.field("output_buffer", output_buffer, range(1, 4096), "Packets per output port");
  r.field("virtual_channels", virtual_channels, range(1, 256),
          "Queues per input port; a packet uses number destination % virtual_channels");
  r.field("allocator_iterations", allocator_iterations, range(1, 16), "Rounds of iSLIP per network cycle");
  r.field("ejection", ejection, range(1, 64), "Packets an output hands over per network cycle");
  if (clock != Frequency{0} && clock < 1_MHz)
    r.fail("clock", "a network clock below 1 MHz",
           "give it with its unit, as in \"1.4GHz\", or 0 for the cores'");
}

sim::Clock clock_of(const NetworkSpec& spec, Frequency core) {
  return spec.clock == Frequency{0} ? sim::Clock{} : sim::Clock(spec.clock, core);
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
  v.ratio("latency", latency_sum, ejected, {"network cycles", "Mean time of a packet inside the network"});
  v.ratio("flits_per_packet", flits, injected, {"flits", "Mean length of a packet"});
}

}  // namespace heddle::noc
