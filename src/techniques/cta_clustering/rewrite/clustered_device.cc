#include "techniques/cta_clustering/rewrite/clustered_device.h"

namespace heddle::cta_clustering {

std::vector<ptx::tree::Pass> ClusteredDevice::passes(const std::string& kernel) const {
  if (const auto* redirection = std::get_if<Redirection>(&options_)) return {redirect(kernel, *redirection)};
  return {become_agents(kernel, std::get<AgentOptions>(options_).pass)};
}

void ClusteredDevice::load_module(std::string_view ptx_text, std::string_view file) {
  texts_.push_back(modules_.add(ptx_text, file));
  to_.load_module(texts_.back(), file);
}

std::optional<workload::DevicePtr> ClusteredDevice::order(const AgentOptions& agents, std::uint64_t tasks) {
  if (agents.pass.partition.order != Order::Table) return {};
  workload::DevicePtr& at = orders_[tasks];
  if (at == workload::DevicePtr::Null && agents.order) {
    const std::vector<std::uint32_t> table = agents.order(tasks);
    at = to_.allocate(4 * tasks, "order of tasks");
    to_.copy_in(at, table.data(), 4 * tasks);
  }
  return at;
}

workload::Launch ClusteredDevice::substitute(const workload::Launch& launch) {
  const auto* agents = std::get_if<AgentOptions>(&options_);
  if (agents == nullptr || !modules_.has(launch)) return launch;
  if (workspace_ == workload::DevicePtr::Null)
    workspace_ = to_.allocate(workspace_bytes(agents->grid), "counters of agents");
  return agent_launch(launch, agents->grid, workspace_, order(*agents, launch.grid.count()));
}

}  // namespace heddle::cta_clustering
