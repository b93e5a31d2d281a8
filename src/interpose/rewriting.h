// Kernels of a module rewritten beside the originals: a launch that cannot be changed (one that becomes part
// of a graph, a cooperative one) finds its kernel as it was, and both use the same variables.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "interpose/record/options.h"

namespace heddle::interpose {

struct KernelPlan {
  std::string rewritten;  // the name of the rewritten kernel in the module; empty: see `reason`
  std::string reason;
  std::uint32_t parameters = 0;       // of the original
  std::uint32_t parameter_bytes = 0;  // of its parameter block
};

struct RewrittenModule {
  std::string text;  // empty: no kernel is rewritten
  std::map<std::string, KernelPlan> kernels;
};

// `sms`: of the device. Throws Error: the module cannot be read.
RewrittenModule rewrite(const std::string& ptx, const std::string& name, const Options& options,
                        std::uint32_t sms);

}  // namespace heddle::interpose
