// What kind of program this is: per kernel its shape, its accesses to memory, and how it does on a machine
// (docs/characterise.md). One run on the machine gives all of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/access_meters.h"
#include "gpu/simulation_spec.h"
#include "gpu/timing_device.h"
#include "workload/workload.h"

namespace heddle::analysis {

// All launches of one kernel together, where nothing else is said.
struct KernelCharacter {
  std::string name;   // "lud.2"
  std::string label;  // of the papers; may be empty
  std::string function;
  std::uint64_t launches = 0;
  workload::Dim3 grid, block;  // of the first launch
  bool shapes_differ = false;  // others have other ones
  std::uint64_t ctas = 0;
  sm::Occupancy occupancy;  // of the first launch
  std::uint32_t sms = 0;    // of the machine
  std::uint32_t line_bytes = 0;

  AccessCounts accesses;
  Touches touches;
  std::uint64_t footprint_bytes = 0;

  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0, thread_instructions = 0;
  std::uint64_t wait_cycles = 0, waiting = 0;  // sm/memory_waits.h, added up over SMs
  std::uint64_t busy_cycles = 0;               // with resident warps, added up over SMs
  std::uint64_t l1_reads = 0, l1_misses = 0;

  // Not a number where there is nothing to divide by.
  double waves() const;  // of CTAs, mean of the launches
  std::uint32_t warps_per_sm() const { return occupancy.ctas * occupancy.warps_per_cta; }
  double memory_share() const;      // of warp instructions
  double lines_per_access() const;  // line requests per memory instruction
  double loads_per_store() const;   // instructions
  double busy_share() const;        // of cycles, mean of the SMs: with resident warps
  double wait_share() const;        // of cycles, mean of the SMs
  double busy_wait_share() const;   // of the cycles in which SMs are busy
  double mean_waiting() const;      // instructions, mean over cycles and SMs
  double left(std::uint32_t window) const { return mem::left_with_window(accesses.windows, window); }
  double miss_rate() const;
  double misses_per_kilo() const;  // per 1,000 thread instructions
};

struct Character {
  std::vector<KernelCharacter> kernels;  // in the order of first launch
  workload::Verification verification;
};

// Throws Error as a run does.
Character characterise(const workload::Workload& workload, const workload::RunOptions& options,
                       const gpu::SimulationSpec& spec, std::uint32_t threads = 1);

}  // namespace heddle::analysis
