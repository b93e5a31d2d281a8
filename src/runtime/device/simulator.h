// The simulated card inside a CUDA program: memory that host and device share, modules, launches one after
// another, simulated time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/device/device_base.h"
#include "exec/functional/functional_device.h"
#include "gpu/simulation_spec.h"
#include "gpu/timing_device.h"
#include "runtime/device/launch_results.h"
#include "runtime/device/memory_file.h"
#include "runtime/device/options.h"
#include "runtime/device/sampling.h"
#include "runtime/recording/recorder.h"

namespace heddle::runtime {

using mem::Address;

// What is kept of a program from its beginning to its end, over cudaDeviceReset.
struct History {
  explicit History(const ExecOptions& options) : sampling(options.sample) {}
  Sampling sampling;
  std::unique_ptr<LaunchResults> results;
  std::unique_ptr<Recorder> recorder;
  bool recording_lost = false;  // told so
  std::uint64_t now = 0, launches = 0;
};

class Simulator {
 public:
  // `output` receives what kernels print. `history`, which must outlive it, is continued.
  Simulator(const ExecOptions& options, exec::OutputSink& output, History& history);

  const gpu::GpuSpec& spec() const { return spec_.gpu; }
  const mem::DeviceMemory& memory() const { return device_->memory(); }
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 30;  // what the card claims to have

  // ---- memory; ranges must be inside allocations -------------------------------------------------
  // 0: no room.
  Address allocate(std::uint64_t bytes, const std::string& label, bool host_writes = false);
  void release(Address a);
  // `what` it is: recordings cannot repeat it.
  void adopt(void* begin, std::uint64_t bytes, const char* what);
  void disown(void* begin);
  // A file of memory that holds the device's memory from now on, kDeviceBase at its beginning, so that other
  // processes can map it, too. The same at every call. Throws Error.
  int shared_file();
  void write(Address to, const void* from, std::uint64_t bytes);
  void fill(Address to, std::uint8_t value, std::uint64_t bytes);
  void copy(Address to, Address from, std::uint64_t bytes);

  // ---- code and textures -------------------------------------------------------------------------
  // The host may write this variable without telling the device.
  void share(Address a, std::uint64_t bytes);
  // The module's number. Throws Error.
  std::uint32_t load(const std::string& ptx, const std::string& name);
  const exec::LoadedModule& module(std::uint32_t number) const { return *device_->modules().at(number); }
  // Throws Error: there is none, or Heddle cannot execute it.
  const exec::KernelImage& kernel(std::uint32_t module, const std::string& name) const {
    return device_->kernel(name, module);
  }
  std::uint64_t create_texture(const exec::Texture& texture);
  void destroy_texture(std::uint64_t handle);

  // ---- launches -----------------------------------------------------------------------------------
  // Runs to its end. Throws Error when the kernel fails.
  void launch(const workload::Launch& launch);
  // Core cycles since the program began.
  std::uint64_t now() const { return history_.now; }
  double seconds(std::uint64_t cycles) const;

 private:
  template <class F>
  void record(F&& f);
  void refuse_recording(const char* what);
  void open_recording();
  void lose_recording(const std::string& why);
  void share_variables();
  // The launch under way is one that is timed, and recorded.
  bool is_chosen(const std::string& kernel) const;
  // Both return its warp instructions.
  std::uint64_t launch_timed(const workload::Launch& launch);
  std::uint64_t launch_untimed(const workload::Launch& launch);
  void launch_children(std::uint32_t module);
  void transfer(const exec::ChildTransfer& t);
  std::uint64_t nominal_cycles(std::uint64_t warp_instructions) const;

  ExecOptions options_;
  gpu::SimulationSpec spec_;
  std::optional<exec::FunctionalRunner> runner_;  // beside a machine
  std::unique_ptr<exec::DeviceBase> device_;
  gpu::TimingDevice* timing_ = nullptr;  // device_, if it simulates time
  exec::FunctionalDevice* functional_ = nullptr;
  std::optional<MemoryFile> file_;
  History& history_;
  unsigned depth_ = 0;  // of launches by kernels
};

}  // namespace heddle::runtime
