#include <iostream>

#include "apps/cli/commands/commands.h"
#include "config/reader.h"
#include "exec/functional/profile.h"
#include "gpu/stages.h"

namespace heddle::cli {
config::ParamTable all_params() {
  return config::describe<gpu::SimulationSpec>();
}

stats::Registry machine_stats() {
  stats::Registry r;
  r.declare("", gpu::every_statistic());
  return r;
}

stats::Registry functional_stats() {
  stats::Registry r;
  r.declare<exec::FunctionalStats>("");
  return r;
}

int config_command(const ConfigOptions& options) {
  std::cout << load_used_gpu(options).config.dump();
  return 0;
}

}  // namespace heddle::cli
