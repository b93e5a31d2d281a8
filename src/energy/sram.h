// Arrays of SRAM cells: what caches and deep queues are made of.
//
// An array is cut into tiles of at most 256 x 256 cells, as long bitlines and wordlines are slow. Beside its
// cells a tile has a driver per wordline, and below every column what precharges, senses and writes it: that
// is what makes two small arrays larger than one of twice the size.
#pragma once

#include <cstdint>

#include "energy/cells.h"

namespace heddle::energy {

struct ArrayShape {
  std::uint64_t rows = 0, columns = 0;  // cells
  std::uint64_t sensed = 0;             // columns that are read or written at once, at most `columns`
  std::uint32_t ports = 1;
};

struct ArrayCost {
  Cost cost;
  double read_fj = 0, write_fj = 0;
  double access_ps = 0;  // from address to data
  double cycle_ps = 0;   // to the next access: wordline, bitline, sense, precharge
};

ArrayCost sram_array(const Cells& cells, const ArrayShape& shape);

}  // namespace heddle::energy
