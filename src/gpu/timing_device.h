// The device of a host program whose kernels run on a simulated machine.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exec/device/device_base.h"
#include "exec/functional/functional_device.h"
#include "exec/stream/atomic_executor.h"
#include "exec/stream/warp_streams.h"
#include "gpu/machine.h"
#include "workload/observed_stream.h"

namespace heddle::gpu {

struct TimingOptions {
  MachineOptions machine;
  exec::FunctionalOptions functional = {};  // of launches that are only executed; one thread, counts nothing
  exec::OutputSink* output = nullptr;       // device printf; nullptr: dropped
  exec::HostSharing sharing = {};
  workload::StreamObserver* observer = nullptr;  // sees every instruction that is simulated
};

class TimingDevice final : public exec::DeviceBase, private workload::LaunchSite {
 public:
  TimingDevice(const GpuSpec& spec, const TimingOptions& options);
  ~TimingDevice() override;

  // Runs to completion. After an interrupt or the cycle limit it throws Stopped; what was measured stays.
  void launch(const workload::Launch& launch) override;

  // Runs a launch for its results only: in no simulated time, and without a trace in caches.
  void execute(const workload::Launch& launch) override;
  exec::LaunchProfile execute(const workload::Launch& launch, exec::FunctionalRunner& runner);

  // Queues a launch; launches of one stream run in order, those of different streams beside each other where
  // resources allow. Arguments are taken now, memory as it is when the kernel runs.
  void enqueue(const workload::Launch& launch, std::uint32_t stream = 0);
  // Runs what is queued. With one stream, each launch has its own statistics; with several, the first launch
  // holds those of all.
  void run_queued();

  // Registers per thread of the launches that follow, when the estimate from PTX is not wanted.
  void set_registers(std::optional<std::uint32_t> registers) { registers_ = registers.value_or(0); }

  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  const std::vector<LaunchResult>& launches() const { return launches_; }
  // Those since the last call; forgets them.
  std::vector<LaunchResult> take_launches() { return std::exchange(launches_, {}); }
  MachineStats total() const;

 private:
  struct Queued {
    std::unique_ptr<exec::PtxGrid> grid;
    std::unique_ptr<workload::ObservedGrid> observed;  // the same, where somebody looks on
    std::uint32_t stream = 0;
    bool rewritten = false;
    sim::Cycle last_start = sim::kNever, cut = sim::kNever;
    Submission submission() const {
      workload::GridStream* stream_of = grid.get();
      if (observed != nullptr) stream_of = observed.get();
      return {stream_of, stream, last_start, cut};
    }
  };
  exec::LaunchData launch_data(const workload::Launch& launch);
  Queued make_grid(const exec::LaunchData& data, std::uint32_t stream);
  void launch_in_part(const workload::Launch& launch);
  void only_execute(const exec::LaunchData& data, std::span<const std::uint64_t> ctas);
  class SmOutput;
  void copied_in(mem::Address to, std::uint64_t bytes) override;
  std::string module_text(std::string_view ptx_text, std::string_view file) override;
  workload::Launch substituted(const workload::Launch& launch) override;
  std::uint32_t ctas_per_sm(const workload::Launch& launch) override;
  workload::DevicePtr counters(std::uint64_t bytes) override;
  workload::CtaReads reads(const workload::Launch& launch) override;
  workload::DevicePtr constants(std::span<const std::byte> bytes) override;
  void commit();
  void flush_output();

  GpuSpec spec_;
  TimingOptions options_;
  std::vector<std::unique_ptr<exec::SmExecution>> execution_;  // by SM
  std::vector<std::unique_ptr<mem::StoreLog>> slice_logs_;
  std::unique_ptr<exec::AtomicExecutor> atomics_;
  std::vector<std::unique_ptr<SmOutput>> outputs_;
  std::unique_ptr<Machine> machine_;
  std::vector<LaunchResult> launches_;
  std::vector<Queued> queue_;
  std::uint32_t registers_ = 0;
  exec::FunctionalRunner runner_;
  std::map<std::string, sim::Cycle> simulated_;            // by kernel, with limit.kernel_cycles
  std::unique_ptr<workload::LaunchRewriter> rewriter_;     // nullptr: kernels run as they are
  std::map<std::uint32_t, workload::DevicePtr> counters_;  // of the rewriter, by stream
  std::uint32_t stream_ = 0;                               // of the launch that is prepared
  bool rewritten_ = false;                                 // what was prepared last
};

// Thrown by launch() when a run ends early on purpose.
struct Stopped {
  sim::EndReason why = sim::EndReason::Interrupted;
};

}  // namespace heddle::gpu
