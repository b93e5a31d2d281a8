// From points to results: takes from the store what is there, simulates the rest, keeps and labels it.
// `heddle study` and `heddle compare` both stand on this. Where points are simulated is the runner's
// business.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "study/batch/costs.h"
#include "study/batch/runner.h"
#include "study/run/result.h"
#include "study/store/store.h"

namespace heddle::study {

struct Job {
  Point point;
  Label label;
};

// Told while a batch runs; the command line draws it. Points are counted once, however many jobs ask for
// them, and those from the store count as done; `finished` is told of those that were simulated, with the
// first job that asks.
class BatchProgress {
 public:
  virtual ~BatchProgress() = default;
  virtual void start(std::size_t points, std::size_t from_store) = 0;
  // `left_seconds` < 0: not known yet. `running`: "hotspot DB+ICC".
  virtual void tick(std::size_t done, std::size_t points, double left_seconds,
                    std::span<const std::string> running) = 0;
  virtual void finished(const Job& job, const std::string& error) = 0;  // error empty: fine
  virtual void warn(const std::string& what) = 0;                       // at once: it may run for hours yet
  virtual void end() = 0;
};

struct Failure {
  std::size_t job = 0;
  std::string error;
};

struct Batch {
  std::vector<Result> results;  // by job; not `complete` where there is none
  std::vector<Failure> failures;
  bool interrupted = false;
  std::size_t simulated = 0, from_store = 0;  // points
  bool store_gone = false;                    // removed or replaced meanwhile: what was simulated is not kept
};

// What is still to be done, for --dry-run: points, and an estimate from what such points cost before, here or
// where `told` was measured.
struct Estimate {
  std::size_t points = 0, in_store = 0, unknown = 0;  // unknown: no earlier run tells their cost
  double cpu_seconds = 0, memory_bytes = 0;           // memory: of the largest `jobs_at_once`
};
Estimate estimate(std::span<const Job> jobs, const Store& store, std::uint32_t jobs_at_once,
                  const KnownCosts& told = {});

// The points that the store lacks, each once.
std::vector<Point> missing_points(std::span<const Job> jobs, const Store& store);

// What is damaged in the store is simulated again. Throws Error when the store fails, or lacks a point and
// cannot be written; what was kept stays.
Batch run_batch(std::span<const Job> jobs, PointRunner& runner, Store& store, BatchProgress& progress,
                const KnownCosts& told = {});
// In processes of this machine.
Batch run_batch(std::span<const Job> jobs, const FindWorkload& find, Store& store, const PoolOptions& options,
                BatchProgress& progress, const KnownCosts& told = {});

}  // namespace heddle::study
