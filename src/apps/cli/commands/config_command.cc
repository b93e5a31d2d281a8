#include <iostream>

#include "apps/cli/commands/commands.h"
#include "gpu/explanation.h"

namespace heddle::cli {

config::ParamTable all_params() {
  return gpu::all_parameters();
}

stats::Registry machine_stats() {
  return gpu::machine_statistics();
}

stats::Registry functional_stats() {
  return gpu::functional_statistics();
}

int config_command(const ConfigOptions& options) {
  std::cout << load_used_gpu(options).config.dump();
  return 0;
}

}  // namespace heddle::cli
