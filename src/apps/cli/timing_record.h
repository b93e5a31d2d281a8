// What a run on a simulated machine found, for people and as a record.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "apps/cli/gpu_config.h"
#include "apps/cli/record.h"
#include "gpu/catalog.h"
#include "gpu/timing_device.h"

namespace heddle::cli {

// Launches of one kernel, added up.
struct KernelTiming {
  std::string kernel;
  sm::Occupancy occupancy;  // of the first launch
  gpu::MachineStats stats;
};

// The JSON form has "schema": "heddle.run/2".
struct TimingRecord : RunHead {
  std::string gpu;  // as it was chosen
  gpu::GpuSpec spec;
  std::vector<Policy> policies;
  std::uint32_t threads = 1;  // of the host
  double cpu_seconds = 0;     // of the whole program, all threads together
  sim::EndReason end = sim::EndReason::Done;
  gpu::MachineStats total;
  std::vector<KernelTiming> kernels;        // in the order of first launch
  std::vector<gpu::LaunchResult> launches;  // in order

  bool complete() const { return end == sim::EndReason::Done; }
  void take(const gpu::TimingDevice& device);
};

nlohmann::ordered_json to_json(const TimingRecord& record);
void print_summary(const TimingRecord& record, std::ostream& out);  // timing_report.cc
// All that OutputOptions asks for.
void report(const TimingRecord& record, const OutputOptions& options, std::ostream& out);

}  // namespace heddle::cli
