#include "study/clustering/recorded_reads.h"

#include <fmt/format.h>

#include "exec/functional/functional_device.h"
#include "workload/forwarding_device.h"

namespace heddle::study {

class RecordedReads::Recorder final : public workload::ForwardingDevice {
 public:
  Recorder(exec::FunctionalDevice& device, std::uint32_t line_bytes, RecordedReads& to)
      : ForwardingDevice(device), device_(device), line_bytes_(line_bytes), reads_(to) {}

  void launch(const workload::Launch& launch) override {
    auto& grids = reads_.kernels_[launch.kernel];
    const Grid grid{launch.grid.x, launch.grid.y, launch.grid.z};
    if (grids.size() < kMostGrids && !grids.contains(grid))
      grids.emplace(grid, device_.reads(launch, line_bytes_));
    to_.launch(launch);
  }

 private:
  exec::FunctionalDevice& device_;
  std::uint32_t line_bytes_;
  RecordedReads& reads_;
};

RecordedReads::RecordedReads(const workload::Workload& workload, const workload::RunOptions& options,
                             std::uint32_t line_bytes) {
  exec::FunctionalOptions functional;
  functional.count_accesses = false;
  exec::FunctionalDevice device(functional);
  Recorder recorder(device, line_bytes, *this);
  static_cast<void>(workload.run(recorder, options));
}

workload::CtaReads RecordedReads::of(const workload::Launch& launch) const {
  const auto kernel = kernels_.find(launch.kernel);
  if (kernel == kernels_.end()) return workload::CtaReads::unknown("it was not launched in the simulator");
  const auto at = kernel->second.find({launch.grid.x, launch.grid.y, launch.grid.z});
  if (at == kernel->second.end())
    return workload::CtaReads::unknown(
        fmt::format("only {} of its grids are recorded", kernel->second.size()));
  return at->second;
}

}  // namespace heddle::study
