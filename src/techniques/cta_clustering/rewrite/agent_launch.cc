#include "techniques/cta_clustering/rewrite/agent_launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "techniques/cta_clustering/rewrite/partition.h"

namespace heddle::cta_clustering {

std::uint64_t workspace_bytes(const AgentGrid& agents) {
  return 4 * (2 * std::uint64_t{agents.clusters} + 2);
}

workload::Launch agent_launch(const workload::Launch& original, const AgentGrid& agents,
                              workload::DevicePtr workspace, std::optional<workload::DevicePtr> order) {
  const std::uint64_t tasks = original.grid.count();
  // No more than there are tasks: agents without one cost time all the same.
  const std::uint64_t per_cluster = std::min<std::uint64_t>(
      agents.agents_per_cluster, (tasks + agents.clusters - 1) / std::max(agents.clusters, 1u));
  const std::uint64_t ctas = agents.clusters * per_cluster;
  if (ctas == 0 || ctas > 0x7fffffffu || agents.active_agents == 0)
    throw Error(fmt::format("{} clusters with {} agents each, {} of them active", agents.clusters,
                            agents.agents_per_cluster, agents.active_agents),
                "At least one cluster, one agent and one active agent are needed.");
  // A counter goes beyond the tasks by at most one per agent.
  if (tasks + ctas > 0x7fffffffu)
    throw Error(fmt::format("agents count tasks with 31 bits, '{}' has {}", original.kernel, tasks),
                "Launch it without agents.");
  workload::Launch launch = original;
  launch.grid = {static_cast<std::uint32_t>(ctas), 1, 1};
  launch.args.add(original.grid.x).add(original.grid.y).add(original.grid.z);
  launch.args.add(static_cast<std::uint32_t>(std::min<std::uint64_t>(agents.active_agents, per_cluster)));
  launch.args.add(agents.clusters);
  launch.args.add(static_cast<std::uint32_t>(tasks / agents.clusters))
      .add(static_cast<std::uint32_t>(tasks % agents.clusters));
  for (const Divisor& by : {divisor(original.grid.x), divisor(original.grid.y)})
    launch.args.add(by.factor).add(by.shift);
  launch.args.add(static_cast<std::uint64_t>(workspace));
  if (order) launch.args.add(static_cast<std::uint64_t>(*order));
  return launch;
}

}  // namespace heddle::cta_clustering
