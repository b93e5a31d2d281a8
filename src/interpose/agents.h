// From a launch of a program to that of its rewritten kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpose/abi.h"
#include "interpose/loaded.h"

namespace heddle::interpose {

// A launch by any of the driver's functions.
struct LaunchCall {
  CUfunction function = nullptr;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared = 0;
  CUstream stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
  const CUlaunchConfig* config = nullptr;  // of cuLaunchKernelEx
  bool cooperative = false;

  std::uint64_t ctas() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
};

// Why a launch can only be that of the original, whatever its kernel; empty: nothing.
std::string launch_obstacle(const LaunchCall& call);

// The launch of agents in the place of another; arguments live in it.
class AgentLaunch {
 public:
  // False: see reason().
  bool prepare(const LaunchCall& original, const KernelHandle& kernel, std::uint32_t active_agents);
  const LaunchCall& launch() const { return launch_; }
  const std::string& reason() const { return reason_; }

 private:
  bool append_arguments(const LaunchCall& original, const KernelHandle& kernel);
  bool append_packed(void** extra, const KernelHandle& kernel);

  LaunchCall launch_;
  CUlaunchConfig config_{};
  std::vector<std::byte> further_;  // the agents' parameters
  std::vector<void*> parameters_;
  std::vector<std::byte> packed_;
  std::size_t packed_bytes_ = 0;
  void* extra_[5] = {};
  std::string reason_;
};

}  // namespace heddle::interpose
