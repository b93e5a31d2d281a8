// The script that sbatch is given, and the list of tasks it is for: texts that follow from a description.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "study/spool/spool_plan.h"

namespace heddle::study {

struct JobDescription {
  std::string name;                  // of the job
  std::filesystem::path program;     // heddle, where nodes have it
  std::filesystem::path plan;        // the plan's folder, as nodes see it
  std::vector<std::size_t> numbers;  // in the array, ascending
  std::size_t offset = 0;            // task = offset + number
  std::uint32_t submission = 0;
  TaskLimits limits;
  std::string partition;             // empty: the cluster's usual one
  std::vector<std::string> further;  // options of sbatch: "--account=lab"
};

// "0-31", "3,7,12-15".
std::string array_text(std::span<const std::size_t> numbers);
// "1-02:30:00", "00:15:00".
std::string time_text(std::uint64_t minutes);
std::string job_script(const JobDescription& job);

}  // namespace heddle::study
