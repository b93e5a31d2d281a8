// What every device that executes PTX has: memory, modules, textures, and the checks before a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/units.h"
#include "exec/device/loaded_module.h"
#include "exec/memory/device_heap.h"
#include "exec/texture/texture.h"
#include "exec/warp/context.h"
#include "mem/device_memory.h"
#include "workload/device.h"

namespace heddle::exec {

// What differs for a device inside somebody else's program.
struct HostSharing {
  mem::Placement placement = mem::Placement::Anywhere;
  Linking linking = Linking::AtLoad;
  std::uint64_t capacity = mem::DeviceMemory::kCapacity;
};

// All of workload::Device but launch().
class DeviceBase : public workload::Device {
 public:
  workload::DevicePtr allocate(std::uint64_t bytes, std::string_view label) final;
  void release(workload::DevicePtr p) final;
  void copy_in(workload::DevicePtr to, const void* from, std::uint64_t bytes) final;
  void copy_out(void* to, workload::DevicePtr from, std::uint64_t bytes) final;
  void fill(workload::DevicePtr to, std::uint8_t value, std::uint64_t bytes) final;
  void load_module(std::string_view ptx_text, std::string_view file) final;
  workload::DevicePtr symbol(std::string_view name, std::uint64_t* bytes = nullptr) final;
  std::uint64_t texture(const workload::TextureView& view) final;

  TextureTable& textures() { return textures_; }
  mem::DeviceMemory& memory() { return memory_; }
  // Ready to be launched; throws Error: there is none, or Heddle cannot execute it.
  const KernelImage& kernel(const std::string& name,
                            std::uint32_t module = workload::Launch::kAnyModule) const;
  // For modules loaded from now on.
  void set_linking(Linking linking) { linking_ = linking; }
  // Of modules, copies to the device and launches, in order: equal inputs, equal hash.
  std::string input_hash() const;
  const std::vector<std::unique_ptr<LoadedModule>>& modules() const { return modules_; }

  // What kernels have launched since the last call, by CTA. Whoever launches kernels that do so
  // (KernelImage:: launches; allowed with Linking::AtLaunch only) launches these behind them, then releases
  // them.
  std::vector<ChildLaunch> take_children();
  workload::Launch launch_of(const ChildLaunch& child, std::uint32_t module) const;
  void release(const ChildLaunch& child);

 protected:
  // `allocation_offset`: how much further each allocation starts behind the one before.
  explicit DeviceBase(CodeOrder order = CodeOrder::AsWritten, Bytes allocation_offset = {},
                      const HostSharing& sharing = {})
      : order_(order),
        linking_(sharing.linking),
        memory_(sharing.capacity, allocation_offset.count(), sharing.placement) {}
  DeviceHeap& heap() { return heap_; }
  // Finds the kernel, refuses what cannot be launched, counts the launch into the hash. `recursive_stack`:
  // local memory per thread for kernels that recurse.
  LaunchData prepare(const workload::Launch& asked, Bytes recursive_stack);
  // The same of a launch that the host program has not asked for: it is not counted and stays what it is.
  LaunchData data_of(const workload::Launch& launch, Bytes recursive_stack);
  void add_children(std::vector<ChildLaunch> children);
  // The host has written [to, to + bytes): a machine with caches may want to know.
  virtual void copied_in(mem::Address /*to*/, std::uint64_t /*bytes*/) {}
  // What is loaded and launched in place of what the host program asked for.
  virtual std::string module_text(std::string_view ptx_text, std::string_view /*file*/) {
    return std::string(ptx_text);
  }
  virtual workload::Launch substituted(const workload::Launch& launch) { return launch; }

 private:
  const CodeOrder order_;
  Linking linking_;
  Hasher input_;
  mem::DeviceMemory memory_;
  DeviceHeap heap_{memory_};
  TextureTable textures_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  mem::Address grid_workspace_ = 0;
  std::vector<ChildLaunch> children_;
};

}  // namespace heddle::exec
