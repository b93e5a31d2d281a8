// How long the launches of a kernel took on a card.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/launch.h"

namespace heddle::card {

// Of one launch, made several times.
struct LaunchTimes {
  std::vector<double> microseconds;

  double median() const;  // of an even number: the mean of the two in the middle; 0: nothing was timed
  double least() const;
  double most() const;
};

// Launches of one kernel that were timed, added up.
struct TimeSpan {
  double median = 0, least = 0, most = 0;  // microseconds
};

struct KernelTimes {
  std::string kernel;
  workload::Launch first;  // as the program made it
  std::uint64_t launches = 0, rewritten = 0;
  // Of the first launch, as it was made in the end: agents, where there are any.
  std::uint32_t ctas_per_sm = 0;
  std::vector<LaunchTimes> timed;  // the first ones

  TimeSpan span() const;
};

}  // namespace heddle::card
