// A device that runs each kernel rewritten where a pass takes it, and as it is otherwise: a host program
// notices nothing but time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "techniques/cta_clustering/rewrite/agent_launch.h"
#include "techniques/cta_clustering/rewrite/passes.h"
#include "techniques/cta_clustering/rewrite/rewritten_modules.h"
#include "workload/forwarding_device.h"

namespace heddle::cta_clustering {

struct AgentOptions {
  Agents pass;
  AgentGrid grid;
  // Order::Table: which CTA each of so many tasks is.
  std::function<std::vector<std::uint32_t>(std::uint64_t tasks)> order = {};
};

class ClusteredDevice final : public workload::ForwardingDevice {
 public:
  using Options = std::variant<Redirection, AgentOptions>;
  ClusteredDevice(workload::Device& to, Options options)
      : ForwardingDevice(to), options_(std::move(options)) {}

  void load_module(std::string_view ptx_text, std::string_view file) override;
  void launch(const workload::Launch& launch) override { to_.launch(substitute(launch)); }
  void execute(const workload::Launch& launch) override { to_.execute(substitute(launch)); }

  // Kernels of all modules loaded, and why some are as they were.
  const std::vector<std::string>& rewritten() const { return modules_.rewritten(); }
  const std::vector<ptx::tree::Refusal>& refused() const { return modules_.refused(); }
  // What was loaded instead, by module.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  workload::Launch substitute(const workload::Launch& launch);
  std::optional<workload::DevicePtr> order(const AgentOptions& agents, std::uint64_t tasks);
  std::vector<ptx::tree::Pass> passes(const std::string& kernel) const;

  Options options_;
  RewrittenModules modules_{[this](const std::string& kernel) { return passes(kernel); }};
  std::vector<std::string> texts_;
  workload::DevicePtr workspace_ = workload::DevicePtr::Null;
  std::map<std::uint64_t, workload::DevicePtr> orders_;  // by tasks
};

}  // namespace heddle::cta_clustering
