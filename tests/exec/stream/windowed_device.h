// A device that runs kernels as the timing machine does, without its timing: SMs issue a few instructions per
// window, stores show at its end, atomics wander to their slice and back for a random number of windows. A
// scoreboard made of the static decode holds back what needs a result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/device/device_base.h"
#include "exec/stream/atomic_executor.h"
#include "exec/stream/warp_streams.h"
#include "workload/random.h"

namespace heddle::exec {

struct WindowedOptions {
  std::uint32_t sms = 2;
  std::uint32_t slices = 3;
  std::uint32_t ctas_per_sm = 64;
  std::uint32_t issues = 5;      // per SM and window
  std::uint32_t most_delay = 4;  // windows that an atomic is under way in each direction
  std::uint64_t seed = 1;
  bool threads = false;  // SMs and slices of a window side by side
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
  std::vector<PcCount> counts() const;  // issued, lanes; further entries of the code's table stay 0
  std::uint64_t retries() const;
  std::uint64_t atomics() const;
  std::uint64_t accesses(workload::WarpAccess::Space space) const;

 private:
  struct Sm;
  struct Flight {  // of an atomic: to the slice, then back
    std::uint64_t due = 0;
    mem::Request request;
  };
  struct Slice {
    mem::StoreLog log;
    std::vector<Flight> in, out;
  };
  void start_ctas(PtxGrid& grid, std::uint32_t sm);
  void run_sm(PtxGrid& grid, std::uint32_t sm);
  void run_slice(Slice& slice);
  void run_window(PtxGrid& grid);
  bool busy(const PtxGrid& grid) const;
  bool may_issue(const PtxGrid& grid, const Sm& sm, std::size_t cta, std::uint32_t warp) const;
  void issue(PtxGrid& grid, std::uint32_t sm, std::size_t cta, std::uint32_t warp);
  void land(PtxGrid& grid, std::uint32_t sm);
  void finish_if_ended(PtxGrid& grid, std::uint32_t sm, std::size_t cta);
  void send(std::uint32_t sm, const workload::WarpAccess& access);
  void answer(std::uint32_t sm, std::uint16_t payload);
  void commit();
  std::string report() const;

  WindowedOptions options_;
  std::vector<std::unique_ptr<Sm>> sms_;
  std::vector<Slice> slices_;
  std::unique_ptr<AtomicExecutor> executor_;
  std::uint64_t window_ = 0, next_cta_ = 0;
};

}  // namespace heddle::exec
