// What a machine can do at most, computed from its description alone.
#pragma once

#include "gpu/gpu_spec.h"

namespace heddle::gpu {

// Per second, for the whole machine.
struct PeakRates {
  double warp_instructions = 0;  // issue slots
  double fp32_instructions = 0;  // thread instructions of class float_mad: each is two operations
  double l1_bytes = 0;           // read hits
  double request_bytes = 0, reply_bytes = 0;
  double l2_port_bytes = 0;
  double dram_bytes = 0;
};
PeakRates peak_rates(const GpuSpec& spec);

}  // namespace heddle::gpu
