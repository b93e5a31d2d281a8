// A recording as a workload: gives a device what a program gave to its own, without the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
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

// The same from any stream; the number of launches. Throws Error.
std::uint64_t replay(std::istream& in, const std::string& name, workload::Device& device);

}  // namespace heddle::runtime
