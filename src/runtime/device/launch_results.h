// One JSON object per launch, each on a line of its own, written as soon as the launch has ended: whatever
// becomes of the program, what was measured is there. docs/exec.md has the fields.
#pragma once

#include <cstdint>
#include <string>

#include "exec/functional/functional_device.h"
#include "gpu/timing_device.h"
#include "runtime/device/line_file.h"
#include "runtime/device/options.h"
#include "workload/launch.h"

namespace heddle::runtime {

inline constexpr const char* kResultsSchema = "heddle.exec/1";

class LaunchResults {
 public:
  // Begins each file with a line that says what is simulated. Throws Error when the results cannot be
  // written.
  LaunchResults(const ExecOptions& options, const gpu::GpuSpec& spec);

  // `number` counts launches from 1; `start` is in core cycles since the program began.
  void timed(std::uint64_t number, const workload::Launch& launch, const gpu::LaunchResult& result,
             std::uint64_t start);
  // `estimate`: cycles that it would have taken; 0: not known.
  void untimed(std::uint64_t number, const workload::Launch& launch, std::uint64_t warp_instructions,
               std::uint64_t estimate, const exec::LaunchProfile& profile);
  void stopped(std::uint64_t number, const std::string& why);
  // What the program asked for and did not get. `kernel`: of launches.
  void refused(const std::string& what, const std::string& kernel, const std::string& why);
  // A launch that began and did not end as it should.
  void failed(const std::string& kernel, const std::string& why);
  // Something that was to be written is not complete: people are told at once.
  void lost(const std::string& file, const std::string& why);

 private:
  // To the results, and to the tally; an empty one is none.
  void line(const std::string& text, const std::string& brief);
  LineFile file_, tally_;
};

}  // namespace heddle::runtime
