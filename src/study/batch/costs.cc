#include "study/batch/costs.h"

#include "base/error.h"

namespace heddle::study {

std::optional<Cost> Costs::of(const Point& point) {
  const KnownCosts::key_type name{point.workload, point.scale};
  auto at = asked_.find(name);
  if (at == asked_.end()) {
    std::optional<Cost> cost;
    try {
      cost = store_.cost(point.workload, point.scale);
    } catch (const Error&) {  // an estimate is no reason to end
      if (!store_.gone()) throw;
    }
    if (const auto told = told_.find(name); !cost && told != told_.end()) cost = told->second;
    at = asked_.emplace(name, cost).first;
  }
  return at->second;
}

void Costs::learn(const Point& point, double cpu_seconds) {
  const double memory = of(point).value_or(Cost{}).memory_bytes;
  asked_[{point.workload, point.scale}] = Cost{cpu_seconds, memory};
}

}  // namespace heddle::study
