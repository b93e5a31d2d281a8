// Throttling alone (rule 17), the paper's comparison: launches ask for shared memory that they do not use, so
// that fewer CTAs fit on an SM. Kernels stay as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "workload/launch_rewriter.h"

namespace heddle::cta_clustering {

class ThrottlingRewriter final : public workload::LaunchRewriter {
 public:
  explicit ThrottlingRewriter(std::uint32_t ctas) : ctas_(ctas) {}
  std::string module(std::string_view ptx_text, std::string_view) override { return std::string(ptx_text); }
  // None where so many do not fit anyway, or no amount of shared memory leaves just these.
  std::optional<workload::InsteadOf> launch(const workload::Launch& launch,
                                            workload::LaunchSite& site) override;

 private:
  std::uint32_t ctas_;  // of an SM, at most
};

extern const workload::LaunchRewriterKind kThrottling;

}  // namespace heddle::cta_clustering
