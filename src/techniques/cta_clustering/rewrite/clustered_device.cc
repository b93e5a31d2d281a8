#include "techniques/cta_clustering/rewrite/clustered_device.h"

#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"

namespace heddle::cta_clustering {

namespace tree = ptx::tree;

void ClusteredDevice::load_module(std::string_view ptx_text, std::string_view file) {
  tree::Module module = tree::read_module(std::string(ptx_text), std::string(file));
  std::vector<std::string> names;
  for (const tree::Statement& s : module.statements)
    if (const auto* f = s.as<tree::Function>(); f != nullptr && f->entry() && f->body)
      names.push_back(f->name.text);
  auto& kernels = kernels_.emplace_back();
  for (const std::string& name : names) {
    const tree::Pass pass = std::holds_alternative<Redirection>(options_)
                                ? redirect(name, std::get<Redirection>(options_))
                                : become_agents(name, std::get<AgentOptions>(options_).pass);
    auto refusal = tree::run_passes(module, {&pass, 1});
    kernels[name] = !refusal;
    if (refusal)
      refused_.push_back(std::move(*refusal));
    else
      rewritten_.push_back(name);
  }
  texts_.push_back(tree::print(module));
  to_.load_module(texts_.back(), file);
}

bool ClusteredDevice::is_rewritten(const workload::Launch& launch) const {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (launch.module != workload::Launch::kAnyModule && launch.module != i) continue;
    if (const auto it = kernels_[i].find(launch.kernel); it != kernels_[i].end()) return it->second;
  }
  return false;
}

workload::Launch ClusteredDevice::substitute(const workload::Launch& launch) {
  const auto* agents = std::get_if<AgentOptions>(&options_);
  if (agents == nullptr || !is_rewritten(launch)) return launch;
  if (workspace_ == workload::DevicePtr::Null)
    workspace_ = to_.allocate(workspace_bytes(agents->grid), "counters of agents");
  return agent_launch(launch, agents->grid, workspace_);
}

}  // namespace heddle::cta_clustering
