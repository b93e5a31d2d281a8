#include "sm/load_fronts.h"

#include <array>

namespace heddle::sm {
namespace {

LoadFrontFactory read_in_order(config::Reader&) {
  return {};
}

constexpr std::array kFronts = {
    LoadFrontKind{"in_order", "one queue, in the order of issue; the first one that is blocked blocks all",
                  read_in_order},
};

}  // namespace

std::span<const LoadFrontKind> load_fronts() {
  return kFronts;
}

void declare(const LoadFrontFactory& make, stats::Groups& all) {
  if (!make) return;
  all.make<FrontStats>("front");
  make({})->collect(all);
}

void FrontStats::statistics(stats::Visitor& v) {
  v.counter("offered", offered, {"requests", "Line requests of global loads that load fronts took"});
  v.counter("sent", sent, {"requests", "Requests that load fronts sent to L1s for them"});
  v.counter("merged", merged, {"requests", "Line requests that went with another's request"});
  v.ratio("loads_per_request", offered, sent, {"", "Line requests per request to the L1"});
}

}  // namespace heddle::sm
