#include "techniques/cta_clustering/throttling.h"

#include <memory>

namespace heddle::cta_clustering {
namespace {

constexpr std::uint32_t kMostShared = 1u << 20;  // more than any SM has

}  // namespace

std::optional<workload::InsteadOf> ThrottlingRewriter::launch(const workload::Launch& original,
                                                              workload::LaunchSite& site) {
  workload::Launch launch = original;
  if (site.ctas_per_sm(launch) <= ctas_) return {};
  // The least that is enough: more of it means fewer CTAs.
  std::uint32_t few = original.dynamic_shared, enough = kMostShared;
  while (enough - few > 1) {
    launch.dynamic_shared = few + (enough - few) / 2;
    (site.ctas_per_sm(launch) > ctas_ ? few : enough) = launch.dynamic_shared;
  }
  launch.dynamic_shared = enough;
  if (site.ctas_per_sm(launch) == 0) return {};
  return {{launch}};
}

namespace {

workload::RewriterFactory read(config::Reader& r) {
  std::uint32_t ctas = 1;
  r.field("ctas", ctas, config::range(1u, 64u), "CTAs of an SM, at most");
  return [ctas](std::uint32_t) { return std::make_unique<ThrottlingRewriter>(ctas); };
}

}  // namespace

const workload::LaunchRewriterKind kThrottling{
    "throttling", "launches ask for shared memory that they do not use, so that fewer CTAs run on an SM",
    read};

}  // namespace heddle::cta_clustering
