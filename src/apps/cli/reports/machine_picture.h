// The units of a machine and the channels between them, drawn in text.
#pragma once

#include <string>

#include "gpu/gpu_spec.h"

namespace heddle::cli {

std::string machine_picture(const gpu::GpuSpec& spec);

}  // namespace heddle::cli
