// What a CTA in the middle of the grid reads, and how much of it its neighbours read, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "techniques/cta_clustering/framework/circumstances.h"

namespace heddle::cta_clustering {

// Bytes, or lines, of what the CTA reads. What all CTAs read is shared in whatever order they run: it counts
// apart from what neighbours share.
struct Shared {
  double all = 0;
  double everywhere = 0;   // with the first and the last CTA of the grid, too
  double with_row = 0;     // neighbours in x
  double with_column = 0;  // neighbours in y
  double with_any = 0;
};

// The reads of one array.
struct ArrayReads {
  std::string array;
  ptx::AccessBase base;
  Shared bytes, lines;
};

// Requests are lines that warps ask for.
struct Evidence {
  double requests = 0;   // of a CTA's reads
  double by_data = 0;    // of those: to addresses that depend on loaded data
  double scattered = 0;  // of instructions whose lanes have a line each, or every two of them
  double not_understood = 0;
  Shared bytes, lines;  // of all arrays
  std::vector<ArrayReads> arrays;
  // Lines that the CTA reads at other places than it writes, and that a neighbour writes.
  std::vector<std::string> written_by_neighbours;  // arrays
};

Evidence find_evidence(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                       std::uint32_t line_bytes);

}  // namespace heddle::cta_clustering
