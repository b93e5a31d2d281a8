// What a run found, for people and as a record.
#pragma once

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "exec/profile.h"
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

// One run. The JSON form has "schema": "heddle.run/1".
struct RunRecord {
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
  exec::FunctionalStats total;
  std::vector<exec::KernelStats> kernels;

  void take(const exec::FunctionalDevice& device);
};

void report(const RunRecord& record, const OutputOptions& options, std::ostream& out);

}  // namespace heddle::cli
