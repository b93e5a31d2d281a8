// What a CTA may ask for on the simulated card.
#pragma once

#include <cstdint>

#include "gpu/gpu_spec.h"
#include "runtime/session/session.h"

namespace heddle::runtime {

// Shared memory of one CTA without cudaFuncSetAttribute: CUDA's limit for all cards.
inline constexpr std::uint64_t kUsualShared = 48 << 10;
// The same with it.
inline std::uint64_t shared_per_block_optin(const gpu::GpuSpec& spec) {
  return spec.sm.shared_memory.count() - spec.sm.shared_reserved_per_cta.count();
}

// Threads of the largest block of a kernel that an SM can hold, at most `limit`.
inline std::uint32_t largest_block(Session& s, Kernel& kernel, std::uint32_t limit) {
  std::uint32_t threads = limit;
  while (threads > 32 && s.resident_ctas(kernel, threads, 0) == 0) threads -= 32;
  return threads;
}

}  // namespace heddle::runtime
