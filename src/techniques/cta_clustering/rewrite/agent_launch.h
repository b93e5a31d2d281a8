// How a kernel that has become agents is launched.
#pragma once

#include <cstdint>
#include <string_view>

#include "workload/launch.h"

namespace heddle::cta_clustering {

// What the pass appends to the kernel's parameters, in this order: u32, and the workspace's address, u64.
inline constexpr const char* kAgentParameters[] = {"grid_x",        "grid_y",   "grid_z",
                                                   "active_agents", "clusters", "workspace"};

struct AgentGrid {
  std::uint32_t clusters = 1;            // usually one per SM
  std::uint32_t agents_per_cluster = 1;  // CTAs that fit on an SM
  std::uint32_t active_agents = 1;       // per cluster; the others retire at once
};

// Counters of a launch: tasks taken by cluster, agents by cluster, agents that have left. Zero before the
// first launch; each launch leaves them so. Launches that may overlap need one each.
std::uint64_t workspace_bytes(const AgentGrid& agents);

// Throws Error: no agents, or a grid of 2^32 tasks and more.
workload::Launch agent_launch(const workload::Launch& original, const AgentGrid& agents,
                              workload::DevicePtr workspace);

}  // namespace heddle::cta_clustering
