// heddle cluster: CTA clustering of programs as they are.
#include "apps/cli/commands/commands.h"

namespace heddle::cli {

int cluster_command(const ClusterCommandOptions& options) {
  if (!options.on_device) return cluster_in_simulator(options);
  return options.program.empty() ? cluster_on_card(options) : cluster_on_device(options);
}

}  // namespace heddle::cli
