// Runs kernels for their results, with no notion of time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "config/reader.h"
#include "exec/device/device_base.h"
#include "exec/functional/grid_run.h"
#include "exec/warp/context.h"
#include "exec/warp/cta.h"
#include "workload/cta_reads.h"

namespace heddle::exec {

// What one launch executed; `counts` and `accesses` are indexed by pc of `image`.
struct LaunchProfile {
  const KernelImage* image = nullptr;
  workload::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  double host_seconds = 0;  // wall time of the host, never part of a simulated result
  std::uint32_t host_threads = 1;
  std::vector<PcCount> counts;
  std::vector<AccessCount> accesses;
  std::vector<ChildLaunch> children;  // until the device has taken them
};

struct FunctionalOptions {
  Bytes recursive_stack = 32_KiB;
  std::uint32_t max_resident_ctas = 4096;
  std::uint64_t spin_limit = 10'000'000'000;
  bool count_accesses = true;
  // Host threads, for kernels whose CTAs cannot tell (separate_ctas.h). They are started when about this many
  // warp instructions are left of a launch: some milliseconds.
  std::uint32_t threads = 1;
  std::uint64_t worth_threads = 1u << 16;
  OutputSink* output = nullptr;                 // device printf; nullptr: dropped
  CodeOrder code_order = CodeOrder::AsWritten;  // results are the same
  AccessObserver* observer = nullptr;           // with count_accesses, on one thread

  void fields(config::Reader& r);
};

// Executes launches on anybody's memory.
class FunctionalRunner {
 public:
  explicit FunctionalRunner(const FunctionalOptions& options) : options_(options) {}
  LaunchProfile run(mem::DeviceMemory& memory, LaunchData launch);
  // Only these CTAs, ascending, on one thread.
  LaunchProfile run(mem::DeviceMemory& memory, LaunchData launch, std::span<const std::uint64_t> ctas);
  const FunctionalOptions& options() const { return options_; }

 private:
  using Ctas = std::optional<std::span<const std::uint64_t>>;
  LaunchProfile run_ctas(mem::DeviceMemory& memory, LaunchData launch, Ctas ctas);

  FunctionalOptions options_;
  std::vector<CtaList> idle_ctas_;  // by host thread: storage kept between launches
};

class FunctionalDevice final : public DeviceBase {
 public:
  explicit FunctionalDevice(const FunctionalOptions& options = {}, const HostSharing& sharing = {});

  void launch(const workload::Launch& launch) override;
  void execute(const workload::Launch& launch) override;
  // What its CTAs would read, in lines of so many bytes; memory stays as it is.
  workload::CtaReads reads(const workload::Launch& launch, std::uint32_t line_bytes);
  const std::vector<LaunchProfile>& launches() const { return launches_; }
  // Those since the last call; forgets them.
  std::vector<LaunchProfile> take_launches() { return std::exchange(launches_, {}); }

 private:
  LaunchProfile run(const workload::Launch& launch);
  FunctionalRunner runner_;
  std::vector<LaunchProfile> launches_;
};

}  // namespace heddle::exec
