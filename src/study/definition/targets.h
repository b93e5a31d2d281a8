// A paper's numbers, one row each: targets.csv.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml_tree.h"

namespace heddle::study {

// What a number tells that no other one does: only numbers of their own are counted in a score.
enum class Origin : std::uint8_t {
  Own,
  Constant,  // a parameter, or arithmetic of the paper's: no run can change it
  Repeats,   // another row of the table, once more
  Follows,   // from other rows of the table, by arithmetic
};
std::string_view name(Origin o);  // "own", "constant", "repeats", "follows"

// Columns as in the file; the first line of it names them.
struct Target {
  std::string paper, figure, workload, config, metric, baseline;
  double value = 0;
  std::string unit, note;
  std::string not_counted;  // empty: it counts
  std::uint32_t line = 0;
  std::string written;  // the value's digits: its last one tells how it was rounded
  Origin origin = Origin::Own;
  std::vector<std::size_t> from;  // Repeats, Follows: those rows, by their place in the list
  bool counts() const { return origin == Origin::Own; }
};

// `source`: the file's name and text. Fields may stand in "quotes", "" inside stands for one quote. Throws
// Error with the line: wrong columns, a value that is no number, two rows that say the same, a row that is
// not counted for a reason that does not hold (target_origins.h).
std::vector<Target> parse_targets(const config::TomlSource& source);

}  // namespace heddle::study
