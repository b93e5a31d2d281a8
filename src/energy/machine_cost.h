// What the memories and networks of a machine cost, from the structures that its stages tell
// (mem/structure.h). Names no stage, topology or technique. The energy of runs: energy_model.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "energy/cells.h"
#include "mem/structure.h"

namespace heddle::energy {

// From the middle of a die to its SMs and L2 slices, in mm: the long links of the DC-L1 paper, which calls
// them a conservative estimate.
inline constexpr double kReachMm = 12.3;

struct CostLine {
  std::string what;        // "40 crossbars 2 x 1, 32B"
  Cost cost;               // of all of them
  double energy_fj = 0;    // per ...
  std::string_view per;    // "flit", "read"; empty: none told
  double highest_mhz = 0;  // 0: does not limit the clock
  double asked_mhz = 0;
  std::string_view of;  // what limits the clock: "allocator"
  std::string note;     // "2 cycles"
  std::vector<std::pair<std::string_view, Cost>> split = {};

  bool reached() const { return highest_mhz == 0 || asked_mhz <= highest_mhz; }
};

struct StructureCost {
  std::string name;
  std::vector<CostLine> lines;
  Cost total() const;
};

struct MachineCost {
  std::vector<StructureCost> structures;
  Cost total() const;
};

// `reach_mm`: of links that do not say how long they are.
MachineCost machine_cost(const Cells& cells, std::span<const mem::Structure> structures,
                         double reach_mm = kReachMm);

}  // namespace heddle::energy
