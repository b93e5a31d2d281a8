// Where the points of study, compare and exec are simulated: here, or on a cluster (docs/cluster.md).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "apps/cli/commands/commands.h"
#include "study/batch/batch.h"

namespace heddle::cli {

// Workloads that are not bundled, by name: ChosenWorkload::source().
using WorkloadSources = std::map<std::string, std::string>;

// Throws Error: no such place, or options that need one.
void check_place(const PlaceOptions& place);

class PointPlace {
 public:
  // Everything must outlive this.
  PointPlace(const PlaceOptions& place, const study::PoolOptions& pool, study::FindWorkload find,
             WorkloadSources sources, study::Store& store, study::KnownCosts told = {});

  study::Batch run(std::span<const study::Job> jobs, study::BatchProgress& progress);

 private:
  const PlaceOptions& place_;
  const study::PoolOptions& pool_;
  study::FindWorkload find_;
  WorkloadSources sources_;
  study::Store& store_;
  study::KnownCosts told_;
};

// --dry-run: what would be submitted, and the scripts.
void print_submission(const PlaceOptions& place, std::span<const study::Job> jobs,
                      const WorkloadSources& sources, const study::Store& store,
                      const study::KnownCosts& told = {});
// --cancel. The exit status.
int cancel_submission(const PlaceOptions& place, std::span<const study::Job> jobs, const study::Store& store);

// The recording of a program in the spool, where all nodes see it. It stays as long as there are plans, which
// may need it.
class SharedRecording {
 public:
  explicit SharedRecording(const PlaceOptions& place);
  ~SharedRecording();
  SharedRecording(const SharedRecording&) = delete;
  SharedRecording& operator=(const SharedRecording&) = delete;

  const std::string& file() const { return file_; }
  // Once it is whole, it has the same name for the same contents: the same command finds its points again.
  void name_by_contents();

 private:
  std::filesystem::path spool_;
  std::string file_;
  bool named_ = false;
};

}  // namespace heddle::cli
