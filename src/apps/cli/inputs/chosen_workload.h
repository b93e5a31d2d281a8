// What is run: a bundled workload, or a kernel of the user's with its launch file. All commands that simulate
// accept the same.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "apps/cli/inputs/gpu_config.h"
#include "launch/compile_cu.h"
#include "study/run/point.h"
#include "workload/workload.h"

namespace heddle::cli {

struct WorkloadOptions {
  std::string what;       // workload, .ptx or .cu
  std::string recording;  // the file that holds the recording `what`; empty: the one of that name
  std::string launch;     // for .ptx and .cu
  std::string scale = "small";
  std::uint64_t seed = 1;
  launch::CompileOptions compile;
  std::string ptx;  // of a .cu, where it is compiled already
};

// How another process finds a workload that is not bundled: JSON. Paths are for the folder that this one is
// in.
std::string source_text(const WorkloadOptions& options);
struct WorkloadSource {
  WorkloadOptions options;
  std::string folder;
};
WorkloadSource parse_source(std::string_view text);  // throws Error

class ChosenWorkload {
 public:
  // `talk`: where a user's kernel tells people what its compiler said, what was launched and what the
  // comparisons found; nullptr: nowhere. `quiet`: only what differs. Throws Error for what does not exist.
  explicit ChosenWorkload(const WorkloadOptions& options, std::ostream* talk = nullptr, bool quiet = false);

  // What a point is called: a bundled workload's own name, whichever it was chosen by; a user's file.
  const std::string& name() const { return name_; }
  const workload::Workload& workload() const { return *workload_; }
  const workload::RunOptions& input() const { return input_; }
  const std::string& contents() const { return contents_; }  // empty for a bundled workload

  study::Point point(const GpuConfig& gpu) const;
  // source_text() of a workload that is not bundled, which needs no compiler; empty for others.
  std::string source() const;

 private:
  WorkloadOptions options_;
  std::string name_;
  std::unique_ptr<workload::Workload> own_;  // of a user's kernel
  const workload::Workload* workload_ = nullptr;
  workload::RunOptions input_;
  std::string contents_;
};

// The bundled workload, or kernel of one, that is called so; throws Error with the nearest name.
const workload::Workload& require_workload(const std::string& name);
// Its own name, where a bundled workload or kernel is called so; else the word itself.
std::string workload_name(const std::string& word);
// Throws Error with the scales there are.
workload::Scale require_scale(const std::string& name);

}  // namespace heddle::cli
