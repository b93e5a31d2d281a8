#include "study/spool/packing.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle::study {
namespace {

// A node may be slower than where a cost was measured, and a design slower than the one it was measured with.
constexpr double kTimes = 3, kMoreMinutes = 10;
constexpr double kTimesMemory = 1.3, kMoreMebibytes = 256;
// Tasks of short points: enough to spread over many nodes, each long enough that its start does not count.
constexpr double kTasks = 64, kShortest = 60, kLongest = 3600;

// Up to the next of 512, 768, 1024, 1536, ...: few classes, and little that is asked for in vain.
std::uint64_t rounded_up(double value, double least) {
  double step = least;
  while (step < value) step = step * 1.5 >= value ? step * 1.5 : step * 2;
  return static_cast<std::uint64_t>(std::ceil(step));
}

std::uint64_t memory_for(double bytes) {
  return rounded_up(bytes / (1u << 20) * kTimesMemory + kMoreMebibytes, 512);
}

std::uint64_t minutes_for(double seconds) {
  return rounded_up(seconds * kTimes / 60 + kMoreMinutes, 15);
}

// Points of one class in the order in which they come, until a task is full.
class Packer {
 public:
  Packer(double task_seconds, std::vector<SpoolTask>& tasks) : full_(task_seconds), tasks_(tasks) {}

  void add(std::size_t point, double seconds, std::uint64_t memory_mib, std::uint64_t minutes) {
    const TaskLimits limits{memory_mib, minutes};
    const auto open = open_.find(limits);
    if (open == open_.end() || tasks_[open->second].seconds + seconds > full_) {
      open_[limits] = tasks_.size();
      tasks_.push_back({{}, 0, limits});
    }
    SpoolTask& t = tasks_[open_.at(limits)];
    t.points.push_back(point);
    t.seconds += seconds;
  }

 private:
  double full_;
  std::vector<SpoolTask>& tasks_;
  std::map<TaskLimits, std::size_t> open_;
};

void pack_unknown(const std::vector<std::size_t>& points, const TaskLimits& limits,
                  std::vector<SpoolTask>& tasks) {
  const auto each = static_cast<std::size_t>(std::ceil(static_cast<double>(points.size()) / kTasks));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % each == 0) tasks.push_back({{}, 0, limits});
    tasks.back().points.push_back(points[i]);
  }
}

}  // namespace

std::vector<SpoolTask> pack(std::span<const std::optional<Cost>> costs, const PackingOptions& options) {
  std::vector<std::size_t> known, unknown;
  double all = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    (costs[i] ? known : unknown).push_back(i);
    if (costs[i]) all += costs[i]->cpu_seconds;
  }
  std::stable_sort(known.begin(), known.end(), [&](std::size_t a, std::size_t b) {
    return costs[a]->cpu_seconds > costs[b]->cpu_seconds;
  });
  const double full =
      options.task_seconds > 0 ? options.task_seconds : std::clamp(all / kTasks, kShortest, kLongest);
  std::vector<SpoolTask> tasks;
  Packer packer(full, tasks);
  for (const std::size_t i : known) {
    const Cost& c = *costs[i];
    packer.add(i, c.cpu_seconds, memory_for(c.memory_bytes), minutes_for(std::max(full, c.cpu_seconds)));
  }
  pack_unknown(unknown, options.unknown, tasks);
  std::stable_sort(tasks.begin(), tasks.end(), [](const SpoolTask& a, const SpoolTask& b) {
    return std::pair(b.limits.minutes, b.limits.memory_mib) <
           std::pair(a.limits.minutes, a.limits.memory_mib);
  });
  return tasks;
}

std::vector<TaskClass> classes(std::span<const SpoolTask> tasks) {
  std::vector<TaskClass> all;
  for (const SpoolTask& t : tasks) {
    if (all.empty() || all.back().limits != t.limits) all.push_back({t.limits});
    TaskClass& c = all.back();
    ++c.tasks;
    c.points += t.points.size();
    c.seconds += t.seconds;
    c.longest = std::max(c.longest, t.seconds);
  }
  return all;
}

}  // namespace heddle::study
