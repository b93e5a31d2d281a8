// What a stage of the machine is built of, in hardware: crossbars, links, caches, queues, tables, memory
// chips. A stage tells it from the description alone (mem/stage.h); who asks what a machine or a run costs
// (energy/) knows only these lists, not the stages, topologies or techniques behind them.
//
// Parts also say which statistics count what happens to them, so that energy follows from what every run
// counts. Counts are of all `count` parts together.
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

// How often something happens: a sum of statistics, each so many times (less than 0: those did not).
struct Count {
  std::string statistic;  // "l2.reads"
  double times = 1;
};
using Counts = std::vector<Count>;

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
  double crossings = 1;                // of these switches by a flit of the network, in the mean
  Counts flits = {};                   // through them, where they are counted; else the structure's
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
  double crossings = 1;  // of these links by a flit of the network, in the mean
  Counts flits = {};     // along them, where they are counted; else the structure's
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
  Counts lookups = {};             // of tags
  Counts reads = {}, writes = {};  // of `port` bytes of data
};

// `count` FIFOs that can be written and read in the same cycle.
struct QueuePart {
  std::uint32_t count = 0;
  std::uint32_t entries = 0;
  Bytes entry{};
  Counts entered = {};  // entries written, and read later
};

// `count` memories without tags: register files, shared memory.
struct ArrayPart {
  std::string what;  // "register file"
  std::uint32_t count = 1;
  std::uint32_t rows = 0, row_bits = 0;
  std::uint32_t port_bits = 0;  // read or written at once
  std::uint32_t banks = 1;      // the rows are spread over them
  bool inside = false;          // of a cache's array: no area and no leakage of its own
  Counts reads = {}, writes = {};
};

// `count` tables that are searched by key in all entries at once: MSHRs, merge tables.
struct TablePart {
  std::string what;  // "MSHRs"
  std::uint32_t count = 1;
  std::uint32_t entries = 0, key_bits = 0, other_bits = 0;
  Counts searches = {}, writes = {}, reads = {};  // writes and reads: of an entry
};

// What lanes do in one kind of instruction; what that takes is measured, not modelled (energy/energy_spec.h).
struct WorkPart {
  enum class Kind : std::uint8_t { Issue, Simple, Multiply, Float, Double, Special, Tensor, Memory };
  Kind kind = Kind::Simple;
  Counts done = {};  // Issue: by warps; others: by lanes
};

// `count` channels of DRAM.
struct DramPart {
  std::uint32_t count = 1;
  Bytes row{2048};
  Counts activations = {}, read_bytes = {}, written_bytes = {}, refreshes = {};
};

// Where energy goes, in a table of few lines.
enum class Region : std::uint8_t { Sm, L1, Merging, CoreNetwork, Network, L2, Dram };
inline constexpr std::size_t kRegions = 7;

// What belongs together in a table.
struct Structure {
  std::string name;  // "request network"
  std::vector<CrossbarPart> crossbars = {};
  std::vector<LinkPart> links = {};
  std::vector<CachePart> caches = {};
  std::vector<QueuePart> queues = {};
  std::vector<ArrayPart> arrays = {};
  std::vector<TablePart> tables = {};
  std::vector<WorkPart> work = {};
  std::vector<DramPart> drams = {};
  Region region = Region::Network;
  Counts flits = {};        // of its switches and links; a flit that is half empty may count as half
  std::uint32_t units = 0;  // SMs: each takes power for being there
};

}  // namespace heddle::mem
