// Whether what was set for several designs has an effect on any of them.
#pragma once

#include "apps/cli/inputs/gpu_config.h"
#include "study/plan/compare_plan.h"

namespace heddle::cli {

// Throws Error when a --set does nothing in every design that can be built.
void check_all_used(const ConfigOptions& options, const study::CompareRequest& request);

}  // namespace heddle::cli
