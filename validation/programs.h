// Eight small CUDA programs that other simulators and a real GPU have run as well: the main() of each
// validation/ptx/*.cu over again, with the same inputs, sizes and check.
#pragma once

#include <span>
#include <string_view>

#include "workload/device.h"
#include "workload/workload.h"

namespace heddle::validation {

struct Program {
  std::string_view name;  // "atax"; its PTX is validation/ptx/atax.ptx
  // The module is loaded; makes the input, launches, checks.
  workload::Verification (*run)(workload::Device& device);
};

std::span<const Program> programs();

}  // namespace heddle::validation
