// A device that runs kernels as the timing machine does, without its timing: SMs issue a few instructions per
// window, stores show at its end, atomics wander to their slice and back for a random number of windows. A
// scoreboard made of the static decode holds back what needs a result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/atomic_executor.h"
#include "exec/device_base.h"
#include "exec/warp_streams.h"
#include "workload/random.h"

namespace heddle::exec {

struct WindowedOptions {
  std::uint32_t sms = 2;
  std::uint32_t slices = 3;
  std::uint32_t ctas_per_sm = 64;
  std::uint32_t issues = 5;      // per SM and window
  std::uint32_t most_delay = 4;  // windows that an atomic is under way in each direction
  std::uint64_t seed = 1;
  std::uint64_t most_windows = 3'000'000;
  Bytes recursive_stack = 32_KiB;
  OutputSink* output = nullptr;
};

class WindowedDevice final : public DeviceBase {
 public:
  explicit WindowedDevice(const WindowedOptions& options = {});
  ~WindowedDevice() override;

  void launch(const workload::Launch& launch) override;

  // Of the last launch.
  const std::vector<PcCount>& counts() const { return counts_; }
  std::uint64_t retries() const { return retries_; }
  std::uint64_t atomics() const { return atomics_; }
  std::uint64_t accesses(workload::WarpAccess::Space space) const {
    return accesses_[static_cast<std::size_t>(space)];
  }

 private:
  struct Sm;
  struct Flight {  // of an atomic: to the slice, then back
    std::uint64_t due = 0;
    mem::Request request;
    bool back = false;
  };
  void start_ctas(PtxGrid& grid, std::uint32_t sm);
  void run_window(PtxGrid& grid, std::uint32_t sm);
  bool may_issue(const PtxGrid& grid, const Sm& sm, std::size_t cta, std::uint32_t warp) const;
  void issue(PtxGrid& grid, std::uint32_t sm, std::size_t cta, std::uint32_t warp);
  void send(std::uint32_t sm, const workload::WarpAccess& access);
  void answer(std::uint32_t sm, std::uint16_t payload);
  void run_slices();
  void commit();
  std::string report() const;

  WindowedOptions options_;
  workload::Random random_;
  std::vector<std::unique_ptr<Sm>> sms_;
  std::vector<mem::StoreLog> slice_logs_;
  std::unique_ptr<AtomicExecutor> executor_;
  std::vector<Flight> flights_;
  std::uint64_t window_ = 0, next_cta_ = 0, retries_ = 0, atomics_ = 0;
  std::uint64_t accesses_[6] = {};
  bool progress_ = false;
  std::vector<PcCount> counts_;
};

}  // namespace heddle::exec
