// CTA clustering for a host program that knows nothing of it: its kernels are rewritten as they are loaded,
// its launches as they are made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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

// With the reuse graph, the first launch of a kernel with a grid is read, and all with this grid have the
// order that comes of it: their inputs may differ, which may cost time and changes no result.
class ClusteringRewriter final : public workload::LaunchRewriter {
 public:
  ClusteringRewriter(const ClusteringSpec& spec, std::uint32_t sms)
      : spec_(spec), clusters_(spec.clusters != 0 ? spec.clusters : sms) {}

  std::string module(std::string_view ptx_text, std::string_view file) override {
    return modules_.add(ptx_text, file);
  }
  std::optional<workload::InsteadOf> launch(const workload::Launch& launch,
                                            workload::LaunchSite& site) override;

  // Kernels of all modules loaded, and why some are as they were.
  const RewrittenModules& modules() const { return modules_; }
  // By the reuse graph: what has none, and runs by rows.
  struct Uncut {
    std::string kernel, why;
    workload::Dim3 grid;
  };
  const std::vector<Uncut>& uncut() const { return uncut_; }

 private:
  std::vector<ptx::tree::Pass> passes(const std::string& kernel) const;
  bool by_table() const { return spec_.partition.order == Order::Table; }
  workload::DevicePtr order_of(const workload::Launch& launch, workload::LaunchSite& site);

  using Shape = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  const ClusteringSpec spec_;
  const std::uint32_t clusters_;
  RewrittenModules modules_{[this](const std::string& kernel) { return passes(kernel); },
                            spec_.way == Way::Agents};
  std::map<Shape, workload::DevicePtr> orders_;  // by kernel, module and grid; Null: by rows
  std::vector<Uncut> uncut_;
};

extern const workload::LaunchRewriterKind kRedirection, kAgents;

}  // namespace heddle::cta_clustering
