// Parameters of the decoupled L1 caches.
#pragma once

#include <cstdint>

#include "config/reader.h"

namespace heddle::decoupled_l1 {

struct DecoupledSpec {
  std::uint32_t nodes = 0;     // Y; 0: as many as cores
  std::uint32_t clusters = 1;  // Z; 0: as many as nodes
  std::uint32_t queue = 4;     // entries of each of a node's four queues, unless its own are given
  std::uint32_t q1 = 0, q2 = 0, q3 = 0, q4 = 0;
  std::uint32_t boost = 1;  // clock of NoC#1, in clocks of the memory networks
  std::uint32_t wire = 2;   // core cycles between a core or a node and NoC#1
  // A node's cache; 0: what its cores' L1s have together, with their latency.
  std::uint32_t sets = 0, ways = 0, latency = 0, mshr_entries = 0, mshr_merges = 0;
  void fields(config::Reader& r);

  // Entries of a queue whose own number is `own` (q1 to q4).
  std::uint32_t entries(std::uint32_t own) const { return own != 0 ? own : queue; }
};

}  // namespace heddle::decoupled_l1
