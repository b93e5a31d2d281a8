// heddle cluster: CTA clustering of programs as they are.
#include "apps/cli/commands/commands.h"

namespace heddle::cli {

int cluster_command(const ClusterCommandOptions& options) {
  return options.on_device ? cluster_on_device(options) : cluster_in_simulator(options);
}

}  // namespace heddle::cli
