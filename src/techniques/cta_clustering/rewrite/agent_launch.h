// How a kernel that has become agents is launched.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "workload/launch.h"

namespace heddle::cta_clustering {

// What the pass appends to the kernel's parameters, in this order: u32, and the workspace's address, u64.
// The tasks of a cluster, how many clusters have one more, and the grid's sides as divisors are known before
// the launch, so that agents divide nothing.
inline constexpr const char* kAgentParameters[] = {"grid_x",   "grid_y",   "grid_z",  "active_agents",
                                                   "clusters", "tasks",    "rest",    "x_factor",
                                                   "x_shift",  "y_factor", "y_shift", "workspace"};

// And behind them, where a table gives the order: its address, u64.
inline constexpr const char* kOrderParameter = "order";

struct AgentGrid {
  std::uint32_t clusters = 1;            // usually one per SM
  std::uint32_t agents_per_cluster = 1;  // CTAs that fit on an SM; launched are no more than it has tasks
  std::uint32_t active_agents = 1;       // per cluster; the others retire at once
};

// Counters of a launch: tasks taken by cluster, agents by cluster, agents that have left, clusters without
// tasks to take. Zero before the first launch; each launch leaves them so. Launches that may overlap need one
// each.
std::uint64_t workspace_bytes(const AgentGrid& agents);

// `order`: of kernels that take a table (Order::Table), a u32 for each task; Null: they go by rows.
// Throws Error: no agents, or a grid of 2^31 tasks and more.
workload::Launch agent_launch(const workload::Launch& original, const AgentGrid& agents,
                              workload::DevicePtr workspace, std::optional<workload::DevicePtr> order = {});

}  // namespace heddle::cta_clustering
