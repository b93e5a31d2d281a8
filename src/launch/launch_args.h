// A launch file's arguments as the bytes that a kernel's parameters want.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "launch/launch_file.h"
#include "ptx/ir/module.h"
#include "workload/launch.h"

namespace heddle::launch {

// What names denote while the launches run; `swap` exchanges them.
using Addresses = std::map<std::string, workload::DevicePtr, std::less<>>;
using Handles = std::map<std::string, std::uint64_t, std::less<>>;  // of textures

// Throws Error at the argument's place, with the kernel's signature.
workload::KernelArgs pack_arguments(const LaunchFile& file, const LaunchStep& step,
                                    const ptx::Function& kernel, const Addresses& addresses,
                                    const Handles& handles);

}  // namespace heddle::launch
