// From command-line options to a machine's description.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/params.h"
#include "gpu/simulation_spec.h"

namespace heddle::cli {

inline constexpr const char* kDefaultGpu = "clustered60";

struct ConfigOptions {
  std::string gpu;                // preset or file; empty: kDefaultGpu, where a GPU is wanted
  std::string file;               // --config: replaces values of the GPU
  std::vector<std::string> sets;  // --set path=value

  config::Config load() const;  // without a GPU
};

struct GpuConfig {
  std::string chosen;  // "clustered60"
  gpu::SimulationSpec spec;
  config::Config config;  // settled: holds every value and where it came from
};
// As it was given, before anything is read: defaults are missing.
config::Config unread_gpu(const ConfigOptions& options);
// Throws Error: a value out of its range, a key that nothing reads.
GpuConfig load_gpu(const ConfigOptions& options);
// As well when an option sets what has no effect on the machine.
GpuConfig load_used_gpu(const ConfigOptions& options);

// Choices of a machine that are no slots but decide results: what a store does in the L1, and so on.
struct Policy {
  std::string key, name, description;
};
std::vector<Policy> policies(const config::Config& settled);

}  // namespace heddle::cli
