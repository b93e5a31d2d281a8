// Designs side by side, by hand: a study without a paper. `heddle compare` plans its points here; results go
// through the same store, evidence and evaluation as those of studies.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "study/plan/plan.h"

namespace heddle::study {

inline constexpr const char* kCompareLabel = "compare";  // Label::study

// One number per run: told as it is, and as a change against the baseline.
struct CompareMetric {
  std::string id;      // in JSON and CSV: "network_reads"
  std::string title;   // "read requests in the network"
  Metric level;        // in its unit
  Metric change;       // ratio - 1
  bool by_change;      // tables of several workloads show the change, else the level
  bool brief = false;  // in the table of one workload: the baseline's level, of others only the change
};
// The first one is speed: its level is cycles, its change the speed-up in time.
const std::vector<CompareMetric>& compare_metrics();

struct CompareRequest {
  std::vector<Point> workloads;  // workload, contents, scale, seed; the rest is filled in
  std::vector<Design> designs;   // the first is the baseline
  std::size_t perturbations = 0;
  std::string gpu;  // for designs that name no machine of their own
  // The configuration that a design starts from; throws Error.
  std::function<config::Config(const std::string& machine)> load;
};

struct ComparePlan {
  Selected selected;                 // a study with these designs, workloads and perturbations, for Evaluator
  Plan plan;                         // refused: by design, the whole text of the error
  std::vector<std::string> designs;  // that run, each machine once; the baseline first
  std::map<std::string, std::string> same_as;  // design -> an earlier one that is the same machine

  const std::string& baseline() const { return designs.front(); }
  bool perturbed() const { return selected.perturbations.size() > 1; }
};

// Throws Error when the baseline cannot be built. What of the others cannot be built is in plan.refused.
ComparePlan make_compare_plan(const CompareRequest& request);

// n of the kinds that studies use: shifted allocations, late CTA starts, other inputs (where `inputs`).
std::vector<Perturbation> compare_perturbations(std::size_t n, std::uint64_t seed, bool inputs);

}  // namespace heddle::study
