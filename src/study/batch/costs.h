// What points cost the host: as the store knows it, else as an archive tells, corrected by those that end.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "study/run/point.h"
#include "study/store/store.h"

namespace heddle::study {

// By workload and scale; whatever the machine that is simulated.
using KnownCosts = std::map<std::pair<std::string, workload::Scale>, Cost>;

class Costs {
 public:
  // `told` is for workloads that the store has never seen at that scale. `store` must outlive this.
  explicit Costs(const Store& store, KnownCosts told = {}) : store_(store), told_(std::move(told)) {}

  std::optional<Cost> of(const Point& point);
  void learn(const Point& point, double cpu_seconds);

 private:
  const Store& store_;
  KnownCosts told_;
  std::map<KnownCosts::key_type, std::optional<Cost>> asked_;
};

}  // namespace heddle::study
