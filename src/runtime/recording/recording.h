// A recording as a workload: gives a device what a program gave to its own, without the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <memory>
#include <string>

#include "workload/workload.h"

namespace heddle::runtime {

inline constexpr const char* kRecordingSuffix = ".hdl";

// Throws Error when the file is not a recording, or damaged. `name`: what it is called; empty: as the file.
// What it holds is read while it runs; results are not compared with anything, because the program that would
// know them is not there.
std::unique_ptr<workload::Workload> open_recording(const std::filesystem::path& file,
                                                   const std::string& name = {});

// What it holds of a program's launches. Warp instructions are known where some are left out.
struct LaunchesHeld {
  struct Count {
    std::uint64_t launches = 0, warp_instructions = 0;
  };
  struct Kernel {
    Count held, left_out;
  };
  std::map<std::string, Kernel> kernels;
  std::uint64_t held = 0, left_out = 0;
  std::uint64_t all() const { return held + left_out; }
};
// Of a workload that open_recording() made; nullptr: it is none.
const LaunchesHeld* launches_held(const workload::Workload& workload);

// The same from any stream; the number of launches. Throws Error.
std::uint64_t replay(std::istream& in, const std::string& name, workload::Device& device);
// Reads it all, and gives nothing to a device.
LaunchesHeld read_launches(std::istream& in, const std::string& name);

}  // namespace heddle::runtime
