// Against an H200: Nsight Compute's counters for every launch of the eight programs (data/h200_counters.csv).
#pragma once

#include <string>
#include <vector>

#include "validation/comparison.h"
#include "validation/measure.h"
#include "validation/peer.h"
#include "validation/states.h"

namespace heddle::validation {

struct SiliconResult {
  Comparison comparison;  // a row per launch
  // Of a program, over its launches: the error of the sum of each counter, the mean error of cycles without
  // sign.
  std::vector<Row> sums;
  std::vector<std::pair<std::string, double>> cycle_errors;
  double mean_cycle_error = 0;
  std::vector<StateRow> states;  // a row per launch, in the same order
};

// The preset h200 as the card was measured, with these settings.
RunOptions silicon_run(std::vector<std::string> settings, std::uint32_t threads);
// A row per launch.
std::vector<CsvRow> silicon_counters();

SiliconResult compare_with_silicon(const Selection& selection, const Tolerances& tolerances);

}  // namespace heddle::validation
