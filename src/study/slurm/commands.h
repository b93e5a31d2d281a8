// The commands of Slurm, as processes: what is asked of them, and what they answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace heddle::study {

// One task of an array of jobs, as squeue tells.
struct QueuedTask {
  std::string name;        // of its job
  std::string job;         // of the array
  std::size_t number = 0;  // in the array
  std::string state;       // "RUNNING"
  std::string node;        // empty: none yet
  std::string reason;      // why it waits: "Resources"

  bool over() const;     // it will not run any more
  bool running() const;  // on a node now
};

// Slurm does not take a job. Any other Error of sbatch(): it is not known whether it did.
class JobRefused : public Error {
 public:
  using Error::Error;
};

// The job's number. Throws Error: there is no sbatch, or it refuses, with what it said.
std::string sbatch(const std::filesystem::path& script);
// Tasks of jobs with these names; those that are over for a while, too. Nothing: squeue did not answer, and
// `problem` says why. Throws Error when there is no squeue.
std::optional<std::vector<QueuedTask>> squeue(std::span<const std::string> names, std::string& problem);
// Throws Error when there is no scancel, or it refuses.
void scancel(std::span<const std::string> jobs);
// How a task ended, by the accounting; empty: it does not tell, or there is none.
std::string sacct_state(const std::string& job, std::size_t number);
// Numbers in an array are smaller than this.
std::size_t max_array_size();

// For tests: what the commands print.
std::string parse_sbatch(std::string_view output);  // "4711", "4711;cluster"; empty: it is none
std::vector<QueuedTask> parse_squeue(std::string_view output);
std::optional<std::size_t> parse_max_array_size(std::string_view output);

}  // namespace heddle::study
