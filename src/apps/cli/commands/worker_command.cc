// `heddle worker`: one task of a plan, on a node of a cluster.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/timing_run.h"
#include "apps/cli/terminal/interrupt.h"
#include "base/error.h"
#include "base/text.h"
#include "study/spool/worker.h"

namespace heddle::cli {
namespace {

constexpr int kTerminatedStatus = 143;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string node_name() {
  if (std::string name = environment("SLURMD_NODENAME"); !name.empty()) return name;
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

study::Attempt attempt_of(const WorkerOptions& o) {
  study::Attempt a;
  a.task = o.task;
  a.submission = o.submission;
  a.node = node_name();
  if (const std::string job = environment("SLURM_ARRAY_JOB_ID"); !job.empty())
    a.job = fmt::format("{}_{}", job, environment("SLURM_ARRAY_TASK_ID"));
  return a;
}

// The workloads of a task. Those that are not bundled are loaded once; what cannot be loaded fails its
// points.
class TaskWorkloads {
 public:
  TaskWorkloads(const study::SpoolPlan& plan, std::size_t task) {
    if (task >= plan.tasks.size()) return;
    for (const std::size_t p : plan.tasks[task].points) {
      const study::Point& point = plan.points[p];
      const auto source = plan.workloads.find(point.workload);
      if (source == plan.workloads.end() || loaded_.contains(point.workload) ||
          problems_.contains(point.workload))
        continue;
      try {
        load(point, source->second);
      } catch (const Error& e) {
        problems_.emplace(point.workload, e);
      }
    }
  }

  const workload::Workload& find(const std::string& name) const {
    if (const auto bad = problems_.find(name); bad != problems_.end()) throw Error(bad->second);
    const auto own = loaded_.find(name);
    return own == loaded_.end() ? require_workload(name) : own->second.workload();
  }

 private:
  void load(const study::Point& point, const std::string& text) {
    const WorkloadSource source = parse_source(text);
    std::error_code error;
    std::filesystem::current_path(source.folder, error);
    if (error)
      throw Error(fmt::format("{} lies in {}, which {} cannot reach: {}", point.workload, source.folder,
                              node_name(), error.message()),
                  "kernels, launch files and recordings must lie in a folder that all nodes see");
    ChosenWorkload chosen(source.options);
    if (chosen.contents() != point.contents)
      throw Error(fmt::format("{}: the kernel, its launch file or a file that it reads has changed since the "
                              "command was given",
                              point.workload),
                  "give the command again");
    loaded_.emplace(point.workload, std::move(chosen));
  }

  std::map<std::string, ChosenWorkload> loaded_;
  std::map<std::string, Error> problems_;
};

}  // namespace

int worker_command(const WorkerOptions& o) {
  const InterruptFlag interrupt(true);
  const std::filesystem::path place = std::filesystem::absolute(o.plan).lexically_normal();
  study::PlanFolder folder(place);
  const TaskWorkloads workloads(folder.plan(), o.task);
  const study::WorkReport r = study::work(
      folder, attempt_of(o),
      [&](const std::string& name) -> const workload::Workload& { return workloads.find(name); },
      &interrupt.raised());
  std::cout << fmt::format("task {} on {}: {} done, {} done before, {} failed, {} out of memory{}\n", o.task,
                           node_name(), counted(r.done, "point"), r.found, r.failed, r.lost,
                           r.interrupted ? "; ended early" : "");
  if (r.interrupted) return kTerminatedStatus;
  return r.lost == 0 ? 0 : 1;
}

}  // namespace heddle::cli
