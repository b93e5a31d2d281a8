// A plan that a SlurmRunner looks after: which of its tasks are under way, and what their runs have brought.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "study/slurm/commands.h"
#include "study/spool/plan_folder.h"

namespace heddle::study {

// Tasks as Slurm tells of them, by the name of their job and their number in its array.
using QueueIndex = std::map<std::pair<std::string, std::size_t>, const QueuedTask*>;

struct WatchedTask {
  bool under_way = false;
  std::string state;  // of its last run, where it is over; empty: Slurm knows no more
};

struct WatchedPlan {
  explicit WatchedPlan(PlanFolder f) : folder(std::move(f)) {}

  using Run = std::pair<std::uint32_t, std::size_t>;  // submission, task
  PlanFolder folder;
  std::set<Run> fruitful;  // have brought a result
  std::set<Run> lost;      // had too little memory for a point
  std::map<Run, std::string> nodes;
  std::map<std::size_t, std::chrono::steady_clock::time_point> over_since;  // by task

  std::vector<const Submission*> submissions_of(std::size_t task) const;  // in order
  WatchedTask state(std::size_t task, const QueueIndex& queue) const;
  // How many of the last submissions in a row have brought nothing.
  std::size_t fruitless(std::size_t task) const;
};

}  // namespace heddle::study
