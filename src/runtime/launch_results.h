// One JSON object per launch, each on a line of its own, written as soon as the launch has ended: whatever
// becomes of the program, what was measured is there. docs/exec.md has the fields.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "exec/functional_device.h"
#include "gpu/timing_device.h"
#include "runtime/options.h"
#include "workload/launch.h"

namespace heddle::runtime {

inline constexpr const char* kResultsSchema = "heddle.exec/1";

class LaunchResults {
 public:
  // Begins the file with a line that says what is simulated. Throws Error when it cannot be written.
  LaunchResults(const ExecOptions& options, const gpu::GpuSpec& spec);
  ~LaunchResults();
  LaunchResults(const LaunchResults&) = delete;
  LaunchResults& operator=(const LaunchResults&) = delete;

  // `number` counts launches from 1; `start` is in core cycles since the program began.
  void timed(std::uint64_t number, const workload::Launch& launch, const gpu::LaunchResult& result,
             std::uint64_t start);
  // `estimate`: cycles that it would have taken; 0: not known.
  void untimed(std::uint64_t number, const workload::Launch& launch, std::uint64_t warp_instructions,
               std::uint64_t estimate, const exec::LaunchProfile& profile);
  void stopped(std::uint64_t number, const std::string& why);

 private:
  void line(const std::string& text);
  std::FILE* file_ = nullptr;
};

}  // namespace heddle::runtime
