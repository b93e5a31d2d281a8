// Caches, queues, memories without tags, and tables that are searched by key.
#pragma once

#include <cstdint>

#include "energy/cells.h"
#include "mem/structure.h"

namespace heddle::energy {

struct CacheCost {
  Cost data, tags;       // tags: with comparators
  double lookup_fj = 0;  // of a set: all tags are read, or where there are many searched by content
  double read_fj = 0, write_fj = 0;    // with the lookup
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

struct MemoryCost {
  Cost cost;
  double read_fj = 0, write_fj = 0;  // of port_bits
};

// Of one of part.count.
MemoryCost memory_cost(const Cells& cells, const mem::ArrayPart& part);

struct TableCost {
  Cost keys, others;  // a content-addressable memory, and the array beside it
  double search_fj = 0, write_fj = 0, read_fj = 0;
  Cost total() const { return keys + others; }
};

// Of one of part.count. As in CACTI, a cell of the keys is twice as large as one of an SRAM. A search drives
// one of two lines for every bit of the key past all entries; every entry's match line was charged, and all
// but that of the entry sought fall.
TableCost table_cost(const Cells& cells, const mem::TablePart& part);

}  // namespace heddle::energy
