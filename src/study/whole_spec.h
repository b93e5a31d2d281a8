// Every section of a configuration: the machine, and how kernels are executed.
#pragma once

#include <string>

#include "config/config.h"
#include "exec/functional/functional_device.h"
#include "gpu/gpu_spec.h"

namespace heddle::study {

struct WholeSpec {
  gpu::GpuSpec gpu;
  exec::FunctionalOptions functional;
  void fields(config::Reader& r);
};

// Reads all of `config` and completes it with defaults. Throws Error: a value out of its range, a key that
// nothing reads.
WholeSpec read_whole(config::Config& config);

// Point::machine of a configuration: every value, defaults too, as TOML. Throws as read_whole.
std::string effective(config::Config config);

}  // namespace heddle::study
