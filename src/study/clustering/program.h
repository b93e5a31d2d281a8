// What a host program loads and launches: found by running it without time.
#pragma once

#include <string>
#include <vector>

#include "workload/launch.h"
#include "workload/workload.h"

namespace heddle::study {

struct LoadedModule {
  std::string text, file;
};
struct LaunchedKernel {
  std::string function;
  std::size_t module = 0;
  workload::Launch first;  // with its arguments
  std::uint64_t launches = 0, ctas = 0;
};
struct ProgramCode {
  std::vector<LoadedModule> modules;
  std::vector<LaunchedKernel> kernels;  // in the order of first launch
};

// Throws Error as a run does.
ProgramCode program_code(const workload::Workload& workload, const workload::RunOptions& options);

}  // namespace heddle::study
