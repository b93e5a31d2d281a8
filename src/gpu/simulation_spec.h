// Every section of a configuration: the machine, and how kernels are executed.
#pragma once

#include <string>

#include "config/config.h"
#include "exec/functional/functional_device.h"
#include "gpu/gpu_spec.h"

namespace heddle::gpu {

struct SimulationSpec {
  GpuSpec gpu;
  exec::FunctionalOptions functional;
  void fields(config::Reader& r);
};

// Reads all of `config` and completes it with defaults. Throws Error: a value out of its range, a key that
// nothing reads.
SimulationSpec read_simulation_spec(config::Config& config);

// Point::machine of a configuration: every value, defaults too, as TOML. Throws as read_simulation_spec.
std::string effective_configuration(config::Config config);

}  // namespace heddle::gpu
