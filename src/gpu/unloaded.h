// How long a load takes in a machine that does nothing else, computed from its description alone.
#pragma once

#include "gpu/gpu_spec.h"

namespace heddle::gpu {

// Core cycles from the issue of a load of 4 bytes to its data. Averages where clocks differ; without
// refreshes, of lines on the own side of an L2 that has two. 0 where the machine has no such level.
struct UnloadedLatency {
  double l1_hit = 0;
  double l2_hit = 0;
  double dram_row_hit = 0, dram_closed = 0, dram_conflict = 0;  // the row is open, none is, another is
};
UnloadedLatency unloaded_latency(const GpuSpec& spec);

}  // namespace heddle::gpu
