// What the parts of a machine cost, and the events of its runs in energy: as tables and as JSON.
#pragma once

#include <string>

#include "energy/energy_model.h"
#include "energy/machine_cost.h"

namespace heddle::cli {

// `without`: what is not in it.
std::string cost_table(const energy::MachineCost& cost, const energy::TechNode& tech,
                       const std::vector<std::string>& without);
std::string energy_table(const energy::EnergyModel& model);
std::string cost_json(const energy::MachineCost& cost, const energy::EnergyModel& model,
                      const energy::TechNode& tech);

}  // namespace heddle::cli
