// What `heddle compare` says beside its tables: what is simulated, and what to do next.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/commands/commands.h"
#include "study/plan/compare_plan.h"

namespace heddle::cli {

// "60 SMs in 12 clusters of 5 at 1.4GHz, 48KiB L1 per SM; ..."
std::string machine_summary(const gpu::GpuSpec& spec);
// What it computes, and on which input.
std::string workload_summary(const ChosenWorkload& chosen);

// Commands that make sense after this comparison, each with its purpose. `fastest`: a design of the plan.
struct NextCommand {
  std::string command, purpose;
};
std::vector<NextCommand> next_commands(const CompareOptions& options, const study::ComparePlan& plan,
                                       const study::Design& fastest);

}  // namespace heddle::cli
