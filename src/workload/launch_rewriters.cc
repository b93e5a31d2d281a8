#include <array>

#include "workload/launch_rewriter.h"

namespace heddle::workload {

std::span<const LaunchRewriterKind> launch_rewriters() {
  static const std::array kAll{LaunchRewriterKind{"none", "kernels run as they are",
                                                  [](config::Reader&) { return RewriterFactory(); }}};
  return kAll;
}

}  // namespace heddle::workload
