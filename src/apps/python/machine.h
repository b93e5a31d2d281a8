// A machine as Python has it: a preset or file, and what was set.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/inputs/gpu_config.h"

namespace heddle::python {

class Machine {
 public:
  // `sets`: as --set takes them. Throws Error: a value out of its range, a key that there is not or that has
  // no effect.
  Machine(const std::string& gpu, const std::string& design, const std::vector<std::string>& sets);
  // What is refused leaves the machine as it was.
  void set(const std::vector<std::string>& sets);

  const cli::ConfigOptions& options() const { return options_; }
  const cli::GpuConfig& config() const { return config_; }

 private:
  cli::ConfigOptions options_;
  cli::GpuConfig config_;
};

}  // namespace heddle::python
