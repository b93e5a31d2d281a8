// Kernels drawn at random: loads, stores and atomics near and far, in shared, local and global memory,
// branches, loops, barriers. CTAs race with each other, and addresses depend on what was loaded: a cycle's
// difference anywhere shows in memory. What a kernel leaves is for machines to agree on, nobody knows it
// before.
#pragma once

#include "bench.h"

namespace heddle::gpu {

inline constexpr std::uint32_t kRandomWords = 2048;  // that a random kernel uses from %a, %b and %c on

struct RandomKernel {
  std::string globals, body;
};
RandomKernel random_kernel(std::uint64_t seed);

}  // namespace heddle::gpu
