// The simulator as a library.
//
//   heddle::gpu::Gpu gpu("clustered60");                 // a preset, or a file of your own
//   gpu.device().load_module(ptx, "my.ptx");
//   const auto a = gpu.device().upload(values, "a");
//   gpu.launch({.kernel = "scale", .grid = {64}, .block = {256}, .args = workload::args(a, n)});
//   for (const auto& launch : gpu.run()) std::cout << launch.kernel << ": " << launch.cycles << " cycles\n";
//
// Launches of one stream run in order; give a stream number to let kernels run beside each other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/presets.h"
#include "gpu/timing_device.h"

namespace heddle::gpu {

class Gpu {
 public:
  explicit Gpu(std::string_view preset_or_file, const TimingOptions& options = {})
      : Gpu(load_config(preset_or_file), options) {}
  explicit Gpu(config::Config config, const TimingOptions& options = {}) : Gpu(checked(config), options) {}
  explicit Gpu(const GpuSpec& spec, const TimingOptions& options = {}) : device_(spec, options) {}

  TimingDevice& device() { return device_; }  // memory, modules, symbols
  void launch(const workload::Launch& launch, std::uint32_t stream = 0) { device_.enqueue(launch, stream); }
  // Runs what was launched since the last call, and returns it.
  std::vector<LaunchResult> run() {
    const std::size_t before = device_.launches().size();
    device_.run_queued();
    return {device_.launches().begin() + static_cast<std::ptrdiff_t>(before), device_.launches().end()};
  }

 private:
  static GpuSpec checked(config::Config& config) {
    GpuSpec spec = config::read<GpuSpec>(config);
    config.check_all_read();
    return spec;
  }
  TimingDevice device_;
};

}  // namespace heddle::gpu
