// Runs kernels for their results, one warp after another, with no notion of time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/units.h"
#include "config/reader.h"
#include "exec/context.h"
#include "exec/cta.h"
#include "exec/loaded_module.h"
#include "exec/texture.h"
#include "workload/device.h"

namespace heddle::exec {

// What one launch executed; `counts` and `accesses` are indexed by pc of `image`.
struct LaunchProfile {
  const KernelImage* image = nullptr;
  workload::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  double host_seconds = 0;  // wall time of the host, never part of a simulated result
  std::vector<PcCount> counts;
  std::vector<AccessCount> accesses;
};

struct FunctionalOptions {
  Bytes recursive_stack = 32_KiB;
  std::uint32_t max_resident_ctas = 4096;
  std::uint64_t spin_limit = 10'000'000'000;
  bool count_accesses = true;
  OutputSink* output = nullptr;  // device printf; nullptr: dropped

  void fields(config::Reader& r);
};

class FunctionalDevice final : public workload::Device {
 public:
  explicit FunctionalDevice(const FunctionalOptions& options = {});

  workload::DevicePtr allocate(std::uint64_t bytes, std::string_view label) override;
  void release(workload::DevicePtr p) override;
  void copy_in(workload::DevicePtr to, const void* from, std::uint64_t bytes) override;
  void copy_out(void* to, workload::DevicePtr from, std::uint64_t bytes) override;
  void fill(workload::DevicePtr to, std::uint8_t value, std::uint64_t bytes) override;
  void load_module(std::string_view ptx_text, std::string_view file) override;
  workload::DevicePtr symbol(std::string_view name, std::uint64_t* bytes = nullptr) override;
  void launch(const workload::Launch& launch) override;

  TextureTable& textures() { return textures_; }
  // Of modules, copies to the device and launches, in order: equal inputs, equal hash.
  std::string input_hash() const;
  const std::vector<LaunchProfile>& launches() const { return launches_; }
  const std::vector<std::unique_ptr<LoadedModule>>& modules() const { return modules_; }

 private:
  const KernelImage& find_kernel(const std::string& name) const;
  void check(const workload::Launch& launch, const KernelImage& image) const;
  void run_grid(const KernelImage& image, ExecContext& context);

  FunctionalOptions options_;
  Hasher input_;
  mem::DeviceMemory memory_;
  TextureTable textures_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::vector<LaunchProfile> launches_;
  std::vector<std::unique_ptr<Cta>> idle_ctas_;  // storage kept between launches
  mem::Address grid_workspace_ = 0;
  std::uint64_t launch_serial_ = 0;
};

}  // namespace heddle::exec
