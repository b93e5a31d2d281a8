// What every run's record has, whether time was simulated or not.
#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "workload/workload.h"

namespace heddle::cli {

struct OutputOptions {
  std::string json;    // record to this file; "-": standard output
  std::string csv;     // statistics to this file
  bool stats = false;  // every statistic as text
  bool quiet = false;  // verdict only
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct RunHead {
  workload::WorkloadInfo workload;
  std::string scale;  // empty for a user's kernel
  std::uint64_t seed = 0;
  workload::Parameters parameters;
  std::string configuration;  // effective, as TOML
  workload::Verification verification;
  bool verified = true;          // false: nothing to compare with
  double wall_seconds = 0;       // host, everything
  double execution_seconds = 0;  // host, inside launches
  std::string input_hash;        // of what the kernels were given
};

// The members of the record that need no device: schema, build, mode, workload, configuration, verification.
nlohmann::ordered_json head_json(const RunHead& head, const std::string& schema, const std::string& mode);
void print_head(const RunHead& head, std::ostream& out);
void print_verdict(const RunHead& head, std::ostream& out);

}  // namespace heddle::cli
