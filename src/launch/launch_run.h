// Running launch files on any device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch_file.h"
#include "workload/device.h"
#include "workload/workload.h"

namespace heddle::launch {

struct OutputResult {
  std::string buffer;
  std::optional<workload::Verification> verification;
  std::string against;  // "expected.bin", "buffer 'ref'", "constant 0"
  std::string dumped;   // the file that was written
  std::string printed;  // for "-"
};

struct LaunchResult {
  struct Step {
    std::string kernel;  // demangled
    workload::Dim3 grid, block;
    std::uint64_t repeat = 1;
  };
  std::vector<Step> steps;
  std::vector<OutputResult> outputs;
  std::vector<std::string> notes;
  bool ok() const;  // no comparison failed
};

// What a device can do beyond workload::Device. Both may be empty.
struct DeviceExtras {
  // Makes a texture object over device memory and returns its handle.
  std::function<std::uint64_t(const TextureSpec&, Element, workload::DevicePtr)> make_texture;
  // `registers = n`: called before every launch of the step, with none when the step gives no number.
  std::function<void(std::optional<std::uint32_t>)> set_registers;
};
// Textures for every device that executes PTX, registers for one with a notion of time.
DeviceExtras extras_of(workload::Device& device);

// Loads the module, fills the buffers, runs the launches, then compares and dumps. All files are read and all
// arguments checked before the first launch; nothing is written unless every launch ended well.
LaunchResult run_launch_file(const LaunchFile& launch, std::string_view ptx_text, std::string_view ptx_file,
                             workload::Device& device, const DeviceExtras& extras = {});

// For people: one line per launch and output.
std::string describe(const LaunchResult& result);

}  // namespace heddle::launch
