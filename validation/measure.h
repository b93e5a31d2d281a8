// One of the eight programs on a simulated machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/machine.h"
#include "validation/programs.h"

namespace heddle::validation {

struct Measurement {
  struct Launch {
    gpu::LaunchResult result;
    std::uint64_t work_cycles = 0;  // without the launch overhead
    std::uint32_t registers = 0;    // per thread, estimated from PTX
  };
  std::vector<Launch> launches;
  gpu::MachineStats total;
  std::uint64_t work_cycles = 0;
  double cpu_seconds = 0;  // of the process: building the machine, the host program and its check included
};

struct RunOptions {
  std::string preset;
  std::vector<std::string> settings;  // "gpu.l2_at_start=cold"
  std::uint32_t threads = 1;
};

// Throws Error when the program's results are wrong.
Measurement measure(const Program& program, const RunOptions& options);

const Program& find_program(std::string_view name);  // throws Error

}  // namespace heddle::validation
