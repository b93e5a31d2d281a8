// A recording as a workload: gives a device what a program gave to its own, without the program.
#pragma once

#include <filesystem>
#include <memory>

#include "workload/workload.h"

namespace heddle::runtime {

inline constexpr const char* kRecordingSuffix = ".hdl";

// Throws Error when the file is not a recording. What it holds is read while it runs; results are not
// compared with anything, because the program that would know them is not there.
std::unique_ptr<workload::Workload> open_recording(const std::filesystem::path& file);

}  // namespace heddle::runtime
