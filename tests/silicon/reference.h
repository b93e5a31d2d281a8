// What a launch must leave in its output, computed on the host; empty for launches without a reference.
#pragma once

#include <cstdint>
#include <vector>

#include "launches.h"

namespace silicon {

std::vector<std::uint32_t> reference(const LaunchSpec& spec);
// Those that are made by running the kernel's own source on the host.
std::vector<std::uint32_t> host_kernel(const LaunchSpec& spec);

}  // namespace silicon
