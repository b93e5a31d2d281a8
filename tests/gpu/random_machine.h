// Descriptions of machines with every size drawn at random, most of them as small as they may be: shapes,
// links of 1 to 200 cycles, buffers of 1 to 64 places, clocks, every choice of every slot.
#pragma once

#include "bench.h"

namespace heddle::gpu {

// For lab().
Settings random_machine(std::uint64_t seed);
// Takes back what a machine refuses beside L1s that stand apart (docs/pairs.md), where it was set.
void suit_organization(Settings& settings);

}  // namespace heddle::gpu
