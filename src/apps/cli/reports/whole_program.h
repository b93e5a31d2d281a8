// A program whose recording holds some of its launches: what all of them would have taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/recording/recording.h"
#include "study/evaluation/table.h"
#include "study/run/record.h"

namespace heddle::cli {

// A launch that was left out is taken to need as many cycles per warp instruction as those of the same kernel
// that were not, as `heddle exec --sample` does.
struct WholeProgram {
  double cycles = 0, seconds = 0;
  double left_out = 0;               // of the cycles, those of launches that were left out
  std::vector<std::string> unknown;  // kernels of which no launch is held: not counted
};
WholeProgram whole_program(const runtime::LaunchesHeld& launches, const study::TimingRecord& record);

// By design, the baseline first; at least one.
study::Table whole_program_table(const std::vector<std::pair<std::string, WholeProgram>>& designs);

}  // namespace heddle::cli
