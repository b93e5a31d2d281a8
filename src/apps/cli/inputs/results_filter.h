#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

// Which points of the store; an empty one holds for all.
struct ResultsFilter {
  std::string store;  // file; empty: the usual place
  std::string study, workload, design, gpu;
  std::vector<std::string> keys;  // beginnings
  bool other_source = false;      // only what another source than this program's made
};

}  // namespace heddle::cli
