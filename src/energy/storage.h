// Caches and queues.
#pragma once

#include <cstdint>

#include "energy/cells.h"
#include "mem/structure.h"

namespace heddle::energy {

struct CacheCost {
  Cost data, tags;  // tags: with comparators
  double read_fj = 0, write_fj = 0;
  double access_ps = 0, cycle_ps = 0;  // tags first, then the way that has it
  Cost total() const { return data + tags; }
  double highest_mhz() const { return cycle_ps > 0 ? 1e6 / cycle_ps : 0; }
};

// Of one of part.count.
CacheCost cache_cost(const Cells& cells, const mem::CachePart& part);

struct QueueCost {
  Cost cost;
  double write_fj = 0, read_fj = 0;  // of an entry
};

// Flip-flops and multiplexers up to 64 entries, as routers have them; an SRAM with two ports beyond.
QueueCost queue_cost(const Cells& cells, std::uint32_t entries, std::uint64_t bits);

}  // namespace heddle::energy
