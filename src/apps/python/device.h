// A simulated card for the kernels of a Python program: memory, modules, launches. One thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/python/arguments.h"
#include "apps/python/machine.h"
#include "exec/functional/functional_device.h"
#include "gpu/timing_device.h"

namespace heddle::python {

struct DeviceOptions {
  bool functional = false;  // results only
  std::uint32_t threads = 1;
  bool detail = false;
};

// What a launch did. Of functional ones there is no time.
struct LaunchDone {
  std::string kernel;
  workload::Dim3 grid, block;
  std::optional<std::uint64_t> start, cycles;
  std::string statistics, occupancy;  // JSON
};

struct DeviceRecord {
  std::string record, detail;  // JSON
};

class Device {
 public:
  Device(const Machine& machine, const DeviceOptions& options);

  // Loads PTX; `file` is for messages. The module's number.
  std::uint32_t load(const std::string& ptx, const std::string& file);
  // As people read them.
  std::vector<std::string> kernels(std::uint32_t module);
  // The name of a kernel in PTX by what people call it; throws Error with the list of kernels.
  std::string find_kernel(std::uint32_t module, const std::string& wanted);
  std::string signature(std::uint32_t module, const std::string& kernel);
  std::pair<std::uint64_t, std::uint64_t> variable(std::uint32_t module,
                                                   const std::string& name);  // address, bytes

  std::uint64_t allocate(std::uint64_t bytes, const std::string& label);
  void release(std::uint64_t address) noexcept;  // at any time, from any thread
  void copy_in(std::uint64_t to, std::span<const std::byte> from);
  void copy_out(std::span<std::byte> to, std::uint64_t from);

  // Queues it. Throws Error for what cannot be launched.
  void launch(std::uint32_t module, const std::string& kernel, const workload::Dim3& grid,
              const workload::Dim3& block, std::span<const Argument> arguments, std::uint32_t shared,
              std::uint32_t stream, std::uint32_t registers);
  std::size_t queued() const { return queue_.size(); }
  // Runs what is queued; without Python's lock, and Ctrl-C ends it (interruptible.h).
  std::vector<LaunchDone> run();
  std::string take_output() { return std::exchange(output_.text, {}); }  // what kernels have printed

  // Of all launches so far. Throws Error for a functional device.
  DeviceRecord record();

 private:
  class Use;
  struct Output final : exec::OutputSink {
    void write(const std::string& more) override { text += more; }
    std::string text;
  };
  struct Queued {
    workload::Launch launch;
    std::uint32_t stream = 0;
  };
  exec::DeviceBase& device() { return functional_ ? static_cast<exec::DeviceBase&>(*functional_) : *timing_; }
  const ptx::Module& module(std::uint32_t number) { return device().modules().at(number)->module(); }
  const ptx::Function& function(std::uint32_t module, const std::string& kernel);
  void run_timing();
  std::vector<LaunchDone> done(std::size_t before, std::span<const Queued> queue);

  cli::GpuConfig config_;
  DeviceOptions options_;
  std::atomic<bool> interrupt_{false};
  Output output_;
  std::unique_ptr<gpu::TimingDevice> timing_;
  std::unique_ptr<exec::FunctionalDevice> functional_;
  std::vector<Queued> queue_;
  std::string broken_;  // why it cannot launch any more; empty: it can

  std::mutex mutex_;  // of what follows
  bool used_ = false;
  std::vector<std::uint64_t> released_;  // while it was used
};

}  // namespace heddle::python
