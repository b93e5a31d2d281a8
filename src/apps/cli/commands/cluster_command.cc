// heddle cluster: CTA clustering of programs as they are.
#include "apps/cli/commands/commands.h"
#include "base/error.h"

namespace heddle::cli {

int cluster_command(const ClusterCommandOptions& options) {
  if (options.on_device) return cluster_on_device(options);
  throw Error(
      "cluster: where the program is to run is missing",
      "heddle cluster --on-device [OPTIONS] -- ./program its arguments   (on this machine's own GPU)");
}

}  // namespace heddle::cli
