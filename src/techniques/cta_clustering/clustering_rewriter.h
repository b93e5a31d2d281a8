// CTA clustering for a host program that knows nothing of it: its kernels are rewritten as they are loaded,
// its launches as they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "techniques/cta_clustering/rewrite/passes.h"
#include "techniques/cta_clustering/rewrite/rewritten_modules.h"
#include "workload/launch_rewriter.h"

namespace heddle::cta_clustering {

enum class Way : std::uint8_t { Redirection, Agents };

struct ClusteringSpec {
  Way way = Way::Agents;
  Partition partition;
  std::uint32_t clusters = 0;       // 0: as many as SMs
  std::uint32_t active_agents = 0;  // per SM; 0: all that fit
  bool bypass = false;              // global loads that can pass the L1 by do
  bool prefetch = false;            // an agent prefetches for the next task
  void fields(config::Reader& r);   // of the way that it has
};

class ClusteringRewriter final : public workload::LaunchRewriter {
 public:
  ClusteringRewriter(const ClusteringSpec& spec, std::uint32_t sms)
      : spec_(spec), clusters_(spec.clusters != 0 ? spec.clusters : sms) {}

  std::string module(std::string_view ptx_text, std::string_view file) override {
    return modules_.add(ptx_text, file);
  }
  std::optional<workload::Launch> launch(const workload::Launch& launch, workload::LaunchSite& site) override;

  // Kernels of all modules loaded, and why some are as they were.
  const RewrittenModules& modules() const { return modules_; }

 private:
  std::vector<ptx::tree::Pass> passes(const std::string& kernel) const;

  const ClusteringSpec spec_;
  const std::uint32_t clusters_;
  RewrittenModules modules_{[this](const std::string& kernel) { return passes(kernel); }};
};

extern const workload::LaunchRewriterKind kRedirection, kAgents;

}  // namespace heddle::cta_clustering
