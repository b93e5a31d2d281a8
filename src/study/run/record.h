// The record of a run: JSON, "schema": "heddle.run/3" (docs/results.md). `heddle run` and points make it
// here.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gpu/gpu_spec.h"
#include "gpu/timing_device.h"
#include "workload/workload.h"

namespace heddle::study {

inline constexpr std::string_view kSchema = "heddle.run/3";

// What a run cost the host. Never part of a simulated result.
struct HostCost {
  double wall_seconds = 0;       // everything
  double execution_seconds = 0;  // inside launches
  double cpu_seconds = 0;        // all threads together
  double memory_bytes = 0;       // most resident memory of the process so far
};

// Measures from its making on.
class HostMeter {
 public:
  HostMeter() : wall_(std::chrono::steady_clock::now()), cpu_(std::clock()) {}
  void read(HostCost& cost) const;  // all but execution_seconds

 private:
  std::chrono::steady_clock::time_point wall_;
  std::clock_t cpu_;
};

// What every record has, whether time was simulated or not.
struct RunHead {
  workload::WorkloadInfo workload;
  std::string contents;  // hash of a user's files; empty for a bundled workload
  std::string scale;     // empty for a user's kernel
  std::uint64_t seed = 0;
  workload::Parameters parameters;
  std::string configuration;  // effective, as TOML
  workload::Verification verification;
  bool verified = true;    // false: nothing to compare with
  std::string input_hash;  // of what the kernels were given
  HostCost host;
};

// Runs the host program on `device` and says in `head` (whose `contents` is set) what it was and whether the
// result is right. May throw what the device's launch() throws.
void run_workload(const workload::Workload& workload, const workload::RunOptions& options,
                  workload::Device& device, RunHead& head);

// The members of the record that need no device. `mode`: "timing" or "functional".
nlohmann::ordered_json head_json(const RunHead& head, std::string_view mode);

// Launches of one kernel, added up.
struct KernelTiming {
  std::string kernel;
  sm::Occupancy occupancy;  // of the first launch
  gpu::MachineStats stats;
};

struct LaunchTiming {
  std::string kernel;
  std::uint64_t start = 0, cycles = 0;
  std::uint64_t ctas = 0, warp_instructions = 0;
};

// A run on a simulated machine.
struct TimingRecord : RunHead {
  std::string gpu;  // as it was chosen
  gpu::GpuSpec spec;
  std::uint32_t threads = 1;  // of the host
  sim::EndReason end = sim::EndReason::Done;
  gpu::MachineStats total;
  std::vector<KernelTiming> kernels;     // in the order of first launch
  std::vector<LaunchTiming> launches;    // in order
  std::optional<gpu::RunDetail> detail;  // written as the member `detail`; parse_timing leaves it out

  bool complete() const { return end == sim::EndReason::Done; }
  void take(const gpu::TimingDevice& device);
};

nlohmann::ordered_json to_json(const TimingRecord& record);
std::string to_text(const TimingRecord& record);  // the JSON, indented, with an end of line
// What of a record is the result: the same for all that have the same key. Without what it cost the host, the
// names that people chose, and what the program was built with (its source hash stays). Throws Error when
// `json` is no record.
std::string decisive(std::string_view json);
// The record of a run on a simulated machine. Throws Error when `json` is none, or of a version of heddle
// whose statistics or parameters differ from this one's: Result (result.h) reads those, too.
TimingRecord parse_timing(std::string_view json);

}  // namespace heddle::study
