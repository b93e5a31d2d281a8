// A design: a machine by name, and what of it is set.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::study {

struct Assignment {
  std::string text;  // "l1.ways=8", as --set takes it
  SourcePlace place;
};

struct Design {
  std::string name, description;
  std::string machine;           // preset or file
  std::vector<Assignment> sets;  // those of the study, of the designs it builds on, its own: in this order
  SourcePlace place;
  // Of a study: none of its own, but for each workload the one of these that is best by a metric.
  std::vector<std::string> best_of;
  std::string best_by;
};

}  // namespace heddle::study
