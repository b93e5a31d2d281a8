// What a stage of the machine is built of, in hardware: crossbars, links, caches, queues. A stage tells it
// from the description alone (mem/stage.h); who asks what a machine costs (energy/) knows only these lists,
// not the stages, topologies or techniques behind them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace heddle::mem {

// Bits that a mechanism adds to each place where it works, by its paper's arithmetic.
struct Storage {
  std::string part;     // "merge table"
  std::string formula;  // "48 x (41 + 5) bits"
  std::uint64_t bits = 0;
};

// `count` switches, each with buffers at its inputs and one allocator.
struct CrossbarPart {
  std::uint32_t count = 1;
  std::uint32_t inputs = 0, outputs = 0;
  Bytes flit{32};                      // width of every port
  std::uint32_t virtual_channels = 1;  // of an input
  std::uint32_t buffer_flits = 1;      // places of each
  std::uint32_t output_flits = 0;      // places of an output's queue, beside its register
  std::uint32_t iterations = 1;        // rounds of the allocator in a cycle
  Frequency clock{};                   // that it has to run at
};

// `count` bundles of wires, all in one direction.
struct LinkPart {
  std::uint32_t count = 0;
  Bytes width{32};
  // Millimetres; 0: nobody says. Then it is `reach` times the way between the middle of the die and what
  // stands at a port.
  double length_mm = 0;
  double reach = 1;
  Frequency clock{};
};

// `count` caches: data, tags and comparators.
struct CachePart {
  std::uint32_t count = 1;
  std::uint32_t sets = 0, ways = 0;
  Bytes line{128};
  Bytes port{128};          // read or written in a cycle, by each port
  std::uint32_t ports = 1;  // of every cell
  std::uint32_t banks = 1;  // the sets are spread over them
  Frequency clock{};
};

// `count` FIFOs that can be written and read in the same cycle.
struct QueuePart {
  std::uint32_t count = 0;
  std::uint32_t entries = 0;
  Bytes entry{};
};

// What belongs together in a table.
struct Structure {
  std::string name;  // "request network"
  std::vector<CrossbarPart> crossbars = {};
  std::vector<LinkPart> links = {};
  std::vector<CachePart> caches = {};
  std::vector<QueuePart> queues = {};
};

}  // namespace heddle::mem
