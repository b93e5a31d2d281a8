// Latency and throughput of a network under synthetic traffic, without a machine around it.
//
// Sources are Bernoulli processes with queues without a limit; packets come into being at a rate, whatever
// the network takes. A packet that comes into being in cycle t can be sent at t + 1; the wires before and
// behind the network take a cycle each. So its latency is that inside the network, 3 cycles, and what it
// waits in the queue. A measurement takes the packets that come into being in `measured` cycles after
// `warm_up` ones, and goes on with the same traffic until all of them have arrived, or until it is clear that
// the network does not keep up. The same numbers on every host, for every seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "noc/traffic.h"

namespace heddle::noc {

// What is measured.
struct LoadSetup {
  NetworkSpec spec;
  NetworkPlace place;  // refers to a map that outlives it
  const TrafficPattern* pattern = nullptr;
  NodeGrid grid;                                   // of the pattern
  std::uint16_t flits = 1;                         // of a packet
  std::uint32_t warm_up = 3000, measured = 20000;  // core cycles
  std::uint64_t seed = 1;
};

struct LoadPoint {
  double offered = 0;   // flits per input and core cycle
  double accepted = 0;  // the same, that arrived
  double latency = 0;   // mean, core cycles from a packet's birth to its arrival
  std::uint64_t longest = 0;
  std::uint64_t p99 = 0;       // 99 of 100 packets took no longer
  double network_latency = 0;  // mean, network cycles inside
  std::uint64_t packets = 0;   // measured ones that arrived
  bool keeps_up = false;       // whether all of them did, 95 of 100 at once
  double busiest_output = 0;   // flits per network cycle
  // Of the measured cycles:
  std::uint64_t network_cycles = 0;
  std::vector<std::uint64_t> output_flits;  // that arrived, by output
  std::vector<LinkLoad> links;              // as the network has them
};

LoadPoint measure_load(const LoadSetup& setup, double rate);

// So many links that carried most, most first; those that carried nothing are none of them.
std::vector<LinkLoad> busiest_links(const LoadPoint& point, std::size_t most);

// The mean latency of packets alone in the network: by the topology's formula where every input sends to
// every output alike, else measured at a very low rate.
double zero_load_latency(const LoadSetup& setup);

// The highest rate at which latency stays below `times` that at zero load, to `exact`; by bisection. `most`:
// where to begin.
double saturation(const LoadSetup& setup, double times = 3, double exact = 0.0025, double most = 1);

}  // namespace heddle::noc
