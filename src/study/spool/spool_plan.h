// What is to be simulated elsewhere: points, in tasks of some each. Written once, read by every worker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "study/run/point.h"

namespace heddle::study {

// What a task may use: those with the same limits are submitted together.
struct TaskLimits {
  std::uint64_t memory_mib = 0;
  std::uint64_t minutes = 0;
  friend auto operator<=>(const TaskLimits&, const TaskLimits&) = default;
};

struct SpoolTask {
  std::vector<std::size_t> points;  // of the plan, simulated in this order
  double seconds = 0;               // as such points took before; 0: nobody knows
  TaskLimits limits;
};

struct SpoolPlan {
  std::string source_hash;  // of the program that made it: no other may work on it
  std::vector<Point> points;
  std::vector<std::string> keys;  // of the points
  std::vector<SpoolTask> tasks;
  // How workloads that are not bundled are found, by name: for the program that works on it to understand.
  std::map<std::string, std::string> workloads;

  // Of this program's source.
  static SpoolPlan of(std::vector<Point> points, std::vector<SpoolTask> tasks);
  // The same for the same points.
  std::string identity() const;
};

std::string to_text(const SpoolPlan& plan);  // JSON; every machine once
// Throws Error when it is none.
SpoolPlan parse_plan(std::string_view text);

}  // namespace heddle::study
