// A plan at work: a folder on a file system that all nodes see.
//
//   plan              what is to be simulated (spool_plan.h), never changed
//   submissions/N     tasks that were handed over together, written before; N.job: the number that they got
//   results/          one file for each run of a task (results_file.h)
//   logs/             what the runs said
//   told              points whose failure somebody was told of: asked for again, they are submitted again
//
// Several programs may look after a plan at once. Nothing is locked: files appear whole, and are made by one.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "study/spool/results_file.h"
#include "study/spool/spool_plan.h"

namespace heddle::study {

// Tasks with the same limits that were handed over in one go.
struct Submission {
  std::uint32_t number = 0;  // from 1
  std::vector<std::size_t> tasks;
  std::size_t offset = 0;  // task = offset + number in the array of jobs
  TaskLimits limits;
  std::string job;   // its number there; empty: not known
  std::string name;  // of the job
};

class PlanFolder {
 public:
  // Throws Error: there is no plan, or it is damaged.
  explicit PlanFolder(std::filesystem::path folder);
  // Makes the folder of a plan in `spool`. None: another program has just made the same.
  static std::optional<PlanFolder> make(const std::filesystem::path& spool, const SpoolPlan& plan);
  // All that can be read in `spool`, of this program's source. `problems`: what is damaged.
  static std::vector<PlanFolder> all(const std::filesystem::path& spool, std::vector<std::string>& problems);

  const std::filesystem::path& folder() const { return folder_; }
  const SpoolPlan& plan() const { return plan_; }
  bool is_there() const;     // still: whoever has all of its results removes it
  std::string name() const;  // of its jobs: "heddle-0123456789abcdef"

  // Submissions so far, as the folder has them now.
  const std::vector<Submission>& submissions() const { return submissions_; }
  void look_for_submissions();
  // Written before they are handed over; with its job afterwards. Throws Error.
  Submission& add_submission(std::vector<std::size_t> tasks, std::size_t offset, const TaskLimits& limits);
  void set_job(Submission& submission, const std::string& job);
  // It came to nothing: the scheduler did not take it.
  void withdraw(const Submission& submission);
  // How long ago it was written.
  std::chrono::seconds age(const Submission& submission) const;
  std::filesystem::path script(const Submission& s) const;
  std::filesystem::path log(const std::string& job, std::size_t number_in_array) const;

  struct News {
    SpoolEntry entry;
    Attempt attempt;
    std::filesystem::path file;
  };
  // What has come since the last call, one by one; of one task, or of all. The number of entries that were
  // damaged.
  std::size_t poll(const std::function<void(News&)>& take, std::optional<std::size_t> task = {});
  std::vector<News> poll();  // all at once, for tests

  bool told(const std::string& key) const { return told_.contains(key); }
  void tell(const std::set<std::string>& keys);  // Throws Error

 private:
  PlanFolder(std::filesystem::path folder, SpoolPlan plan);
  std::filesystem::path submission_file(std::uint32_t number) const;
  void read_told();
  std::optional<Submission> read_submission(std::uint32_t number) const;  // none: it was withdrawn meanwhile

  std::filesystem::path folder_;
  SpoolPlan plan_;
  std::vector<Submission> submissions_;
  std::map<std::string, ResultsReader> readers_;  // by name of the file
  std::set<std::string> told_;
};

}  // namespace heddle::study
