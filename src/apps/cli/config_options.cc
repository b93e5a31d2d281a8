#include <iostream>

#include "apps/cli/commands.h"
#include "config/reader.h"
#include "exec/functional/profile.h"
#include "gpu/machine_stats.h"

namespace heddle::cli {
config::ParamTable all_params() {
  return config::describe<WholeSpec>();
}

stats::Registry machine_stats() {
  stats::Registry r;
  r.declare<gpu::MachineStats>("");
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
