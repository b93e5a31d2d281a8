// How many CTAs of a kernel an SM holds at once, and what limits them.
#pragma once

#include <cstdint>
#include <string>

#include "sm/sm_spec.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

struct Occupancy {
  std::uint32_t ctas = 0;
  std::uint32_t warps_per_cta = 0;
  std::uint32_t registers_per_cta = 0;
  std::uint32_t shared_per_cta = 0;
  std::string limited_by;  // "threads", "warps", "ctas", "registers", "shared memory"; others lower it
  std::uint32_t registers_usable = 0;  // the rest of each part of the register file holds no whole warp
};

// Throws Error when not even one CTA fits: which resource, how much it needs, how much there is.
Occupancy occupancy(const SmSpec& spec, const workload::CtaNeeds& needs);

}  // namespace heddle::sm
