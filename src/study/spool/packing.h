// Points into tasks: short ones share one, and all of a task fit into its time and memory.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "study/spool/spool_plan.h"
#include "study/store/store.h"

namespace heddle::study {

struct PackingOptions {
  double task_seconds = 0;  // that points which share a task take together; 0: by how many there are
  TaskLimits unknown = {4096, 4 * 60};  // of points whose cost nobody knows
};

// `costs`: of each point; none: nobody knows. Tasks in the order of their limits, the longest first.
std::vector<SpoolTask> pack(std::span<const std::optional<Cost>> costs, const PackingOptions& options);

// Tasks with the same limits, added up.
struct TaskClass {
  TaskLimits limits;
  std::size_t tasks = 0, points = 0;
  double seconds = 0, longest = 0;  // of its tasks; 0: nobody knows
};
std::vector<TaskClass> classes(std::span<const SpoolTask> tasks);

}  // namespace heddle::study
