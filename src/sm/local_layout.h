// Where the local memory of threads lies, as the memory system sees it.
#pragma once

#include <cstdint>

#include "sm/coalescer.h"

namespace heddle::sm {

enum class LocalLayout : std::uint8_t {
  PerWarp,     // every warp context of every SM has a region of its own
  Interleaved  // one word of all threads that run lies together
};

// A warp context of an SM.
LocalPlace local_per_warp(std::uint32_t sm, std::uint32_t warp);

// A warp among all that may run at once. Threads of a CTA lie together, behind them those of the CTA in the
// same place of the next SM; after all SMs, the next place of the first one.
struct InterleavedWarp {
  std::uint32_t sm = 0, sms = 1;
  std::uint32_t place = 0, places = 1;  // of its CTA in the SM; as many as the kernel can have
  std::uint32_t warp = 0, warps = 1;    // in its CTA
  std::uint32_t kernel = 0;             // kernels that run at the same time lie apart
};
LocalPlace local_interleaved(const InterleavedWarp& w);

}  // namespace heddle::sm
