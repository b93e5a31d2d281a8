// What `heddle describe` says of a machine.
#pragma once

#include <string>

#include "apps/cli/inputs/gpu_config.h"

namespace heddle::cli {

std::string machine_text(const GpuConfig& gpu);

}  // namespace heddle::cli
