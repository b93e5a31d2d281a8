// A paper's numbers, one row each: targets.csv.
#pragma once

#include <string>
#include <vector>

#include "config/toml_tree.h"

namespace heddle::study {

// Columns as in the file; the first line of it names them.
struct Target {
  std::string paper, figure, workload, config, metric, baseline;
  double value = 0;
  std::string unit, note;
  std::uint32_t line = 0;
};

// `source`: the file's name and text. Fields may stand in "quotes", "" inside stands for one quote. Throws
// Error with the line: wrong columns, a value that is no number, two rows that say the same.
std::vector<Target> parse_targets(const config::TomlSource& source);

}  // namespace heddle::study
