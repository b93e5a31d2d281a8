// What `heddle compare` found: tables, JSON, CSV.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "study/evaluation/evaluate.h"
#include "study/evaluation/table.h"
#include "study/plan/compare_plan.h"

namespace heddle::cli {

class CompareReport {
 public:
  CompareReport(const study::ComparePlan& plan, const study::Evidence& evidence);

  // One workload: a line per design with every metric and its change; with perturbations, the ranges as well.
  std::vector<study::Table> of_one(const std::string& workload) const;
  // Several: a table per metric, a line per workload and one for the mean.
  std::vector<study::Table> by_metric() const;
  // The fastest design on a workload, by the mean of its runs; the baseline when nothing else has a result.
  const std::string& fastest(const std::string& workload) const;
  bool is_faster(const std::string& design, const std::string& workload) const;  // than the baseline

  study::Table all() const;             // a line per workload, design and metric, for CSV
  nlohmann::ordered_json json() const;  // "heddle.compare/1", without what is not a number

 private:
  study::Measured level(const study::CompareMetric& m, const std::string& design,
                        const std::string& workload) const;
  study::Measured change(const study::CompareMetric& m, const std::string& design,
                         const std::string& workload) const;
  study::Measured mean(const study::Metric& metric, const std::string& design) const;
  std::string change_text(const study::CompareMetric& m, const study::Measured& change) const;
  study::Table ranges(const std::string& workload) const;
  std::string how_sure() const;

  const study::ComparePlan& plan_;
  const study::Evidence& evidence_;
  study::Evaluator evaluator_;
};

}  // namespace heddle::cli
