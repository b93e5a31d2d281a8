// Everything that can be configured or measured, by name: for `heddle explain` and the docs.
#pragma once

#include <string>

#include "config/params.h"
#include "stats/registry.h"

namespace heddle::gpu {

config::ParamTable all_parameters();
stats::Registry machine_statistics();     // of a simulated machine
stats::Registry functional_statistics();  // of functional execution

// All about a parameter or statistic, or about those below a name ("dram"). Throws Error with the nearest
// name.
std::string explanation(const std::string& name);

}  // namespace heddle::gpu
