// Runs kernels for their results, one warp after another, with no notion of time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "config/reader.h"
#include "exec/context.h"
#include "exec/cta.h"
#include "exec/device_base.h"

namespace heddle::exec {

// What one launch executed; `counts` and `accesses` are indexed by pc of `image`.
struct LaunchProfile {
  const KernelImage* image = nullptr;
  workload::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  double host_seconds = 0;  // wall time of the host, never part of a simulated result
  std::vector<PcCount> counts;
  std::vector<AccessCount> accesses;
  std::vector<ChildLaunch> children;  // until the device has taken them
};

struct FunctionalOptions {
  Bytes recursive_stack = 32_KiB;
  std::uint32_t max_resident_ctas = 4096;
  std::uint64_t spin_limit = 10'000'000'000;
  bool count_accesses = true;
  OutputSink* output = nullptr;                 // device printf; nullptr: dropped
  CodeOrder code_order = CodeOrder::AsWritten;  // results are the same

  void fields(config::Reader& r);
};

// Executes launches on anybody's memory.
class FunctionalRunner {
 public:
  explicit FunctionalRunner(const FunctionalOptions& options) : options_(options) {}
  LaunchProfile run(mem::DeviceMemory& memory, LaunchData launch);
  const FunctionalOptions& options() const { return options_; }

 private:
  void run_grid(const KernelImage& image, ExecContext& context);

  FunctionalOptions options_;
  std::vector<std::unique_ptr<Cta>> idle_ctas_;  // storage kept between launches
};

class FunctionalDevice final : public DeviceBase {
 public:
  explicit FunctionalDevice(const FunctionalOptions& options = {}, const HostSharing& sharing = {});

  void launch(const workload::Launch& launch) override;
  const std::vector<LaunchProfile>& launches() const { return launches_; }
  // Those since the last call; forgets them.
  std::vector<LaunchProfile> take_launches() { return std::exchange(launches_, {}); }

 private:
  FunctionalRunner runner_;
  std::vector<LaunchProfile> launches_;
};

}  // namespace heddle::exec
