// What the networks and caches of a machine cost, as a table and as JSON.
#pragma once

#include <string>

#include "energy/machine_cost.h"

namespace heddle::cli {

std::string cost_table(const energy::MachineCost& cost, const energy::TechNode& tech);
std::string cost_json(const energy::MachineCost& cost, const energy::TechNode& tech);

}  // namespace heddle::cli
