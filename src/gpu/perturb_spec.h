// Small changes that leave a program's results as they are and shift its timing a little: a difference
// between two designs that is not larger than what these bring is none.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "config/reader.h"

namespace heddle::gpu {

struct PerturbSpec {
  Bytes allocation_offset{};       // further behind the one before; alignment to 256 bytes holds
  std::uint32_t start_jitter = 0;  // most cycles by which a CTA starts late
  std::uint64_t seed = 1;          // of the jitter
  void fields(config::Reader& r);

  // By how many cycles CTA `cta` of launch `launch` (counted from 0 over the whole run) starts late.
  std::uint32_t start_delay(std::uint64_t launch, std::uint64_t cta) const;
};

}  // namespace heddle::gpu
