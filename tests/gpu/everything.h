// A kernel that uses everything: loads near and far, shared and local memory, constants, barriers, atomics
// with and without result, a lock. For tests of machines: whatever their sizes, it ends with the right
// result.
#pragma once

#include "bench.h"
#include "tests/contract/findings.h"

namespace heddle::gpu {

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

// Launches it twice on a fresh machine and checks what it leaves in memory. Returns all counters of both
// launches; an Error of the machine is thrown.
Counters run_everything(const GpuSpec& spec, const MachineOptions& options = {});
inline Counters run_everything(const GpuSpec& spec, std::uint32_t threads) {
  MachineOptions options;
  options.threads = threads;
  return run_everything(spec, options);
}

// What is wrong with a machine, as far as that kernel shows: it does not end, counts do not add up, results
// are wrong.
contract::Findings check_machine(const GpuSpec& spec);

// A machine forgets at a kernel's end: a kernel whose SMs read a line each, once, finds no more in L1s and
// mergers when it is launched again. For machines that do not keep it on purpose.
contract::Findings check_kernel_end(const GpuSpec& spec);

}  // namespace heddle::gpu
