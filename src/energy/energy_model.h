// The energy of runs on a machine: a sum over what they count. Every term is a statistic and the picojoules
// of each of its counts; what a machine takes for being there is a term of its time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "energy/energy_spec.h"
#include "energy/energy_stats.h"
#include "energy/tech_node.h"
#include "mem/structure.h"

namespace heddle::energy {

struct Term {
  mem::Region region = mem::Region::Sm;
  std::string what;       // "L1: a read of data"
  std::string statistic;  // "l1.reads_hits"; "gpu.picoseconds": picojoules are watts
  double pj = 0;          // of each
  bool standing = false;  // for being there
};

struct EnergyModel {
  std::vector<Term> terms;
  double other_watts = 0;

  // `value` gives a statistic by its name.
  EnergyStats of(const std::function<double(std::string_view)>& value) const;
};

// `core`: clock of the SMs. `reach_mm`: of links that do not say how long they are.
EnergyModel energy_model(const EnergySpec& spec, std::span<const mem::Structure> structures, Frequency core,
                         double reach_mm);

// Of a lane's operation, or of a warp's instruction to issue it, at a process; beside the registers.
double work_pj(mem::WorkPart::Kind kind, const TechNode& tech);

}  // namespace heddle::energy
