// Points on a Slurm cluster: as arrays of jobs, through a folder that all nodes see (study/spool).
//
// What is under way goes on without this program; run() with the same points finds it again, waits for it,
// and submits only what nobody works on.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "study/batch/runner.h"
#include "study/slurm/commands.h"
#include "study/slurm/job_script.h"
#include "study/slurm/watched_plan.h"
#include "study/spool/packing.h"
#include "study/spool/plan_folder.h"

namespace heddle::study {

struct SlurmOptions {
  std::filesystem::path spool;       // all nodes see it under this name
  std::filesystem::path program;     // heddle, where nodes have it
  std::string partition;             // empty: the usual one
  std::vector<std::string> further;  // options of sbatch
  PackingOptions packing;
  std::map<std::string, std::string> workloads;  // SpoolPlan::workloads
  std::function<std::optional<Cost>(const Point&)> cost;
  const std::atomic<bool>* interrupt = nullptr;
  std::uint32_t retries = 2;  // of a task that ends without any new result
  // How often Slurm is asked, and the folder looked at: ever more seldom, up to `poll_most`.
  std::chrono::milliseconds poll{1000}, poll_most{15'000};
  // How long results of a task that is over may take to be seen, and of one that says it is done.
  std::chrono::milliseconds settle{5000}, settle_done{30'000};
};

// What run() would submit now. Of a cluster that limits arrays to fewer tasks, each class in several jobs.
struct SlurmPreview {
  std::vector<TaskClass> classes;
  std::vector<std::string> scripts;  // one per class
  std::size_t under_way = 0;         // points that a plan of the spool has already
};
SlurmPreview preview(std::span<const Point> points, const SlurmOptions& options);

class SlurmRunner final : public PointRunner {
 public:
  explicit SlurmRunner(SlurmOptions options) : options_(std::move(options)) {}

  bool run(std::span<const Point> points, const Listener& listener) override;
  std::size_t at_once() const override;
  // Removes the plans all of whose points a store has.
  void tidy(const Store& store);

 private:
  void watch(std::vector<PlanFolder> folders);
  void submit_new();
  void collect();
  void take(WatchedPlan& w, PlanFolder::News& news, std::vector<Finished>& out);
  void require_same(std::size_t point, const PlanFolder::News& news) const;
  void fail(WatchedPlan& w, std::size_t task, const std::string& why, std::vector<Finished>& out);
  void ask();
  void look_after_tasks();
  std::optional<TaskLimits> next_try(WatchedPlan& w, std::size_t task, std::vector<Finished>& failed);
  std::string why_lost(const WatchedPlan& w, std::size_t task, const Submission& last,
                       const std::string& state) const;
  bool submit(WatchedPlan& w, const std::vector<std::size_t>& tasks, const TaskLimits& limits);
  void give_up(WatchedPlan& w);
  void tick();
  void hand_out(std::vector<Finished>& finished);

  SlurmOptions options_;
  const Listener* listener_ = nullptr;
  std::span<const Point> points_;
  std::map<std::string, std::size_t> wanted_;  // by key
  std::vector<bool> ended_;                    // by point
  std::vector<bool> begun_;
  std::map<std::size_t, std::filesystem::path> result_;  // by point: the file that had it first
  std::size_t left_ = 0;
  std::vector<WatchedPlan> watched_;
  std::optional<std::vector<QueuedTask>> queue_;  // as last told; none: Slurm did not answer
  std::string silent_;                            // why not
  QueueIndex in_queue_;                           // of queue_
  bool accepted_ = false;                         // a submission, since Slurm was asked
  std::optional<std::size_t> most_in_array_;
  std::chrono::steady_clock::time_point no_submission_before_;
};

// Ends what is under way for these points, and all else of their plans; the number of jobs that were ended.
// A later run() submits what is missing again.
std::size_t cancel(std::span<const Point> points, const SlurmOptions& options);

}  // namespace heddle::study
