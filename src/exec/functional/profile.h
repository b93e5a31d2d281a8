// What functional execution saw, as statistics.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exec/functional/functional_device.h"
#include "stats/visitor.h"

namespace heddle::exec {

// Warp instructions by kind.
struct MixStats {
  std::uint64_t integer = 0, logic = 0, float16 = 0, float32 = 0, float64 = 0, tensor = 0, special = 0,
                convert = 0, move = 0, compare = 0, control = 0, memory = 0, atomic = 0, texture = 0,
                barrier = 0, collective = 0, other = 0;
  void statistics(stats::Visitor& v);
};

// Accesses of one kind to memory behind the L1.
struct TrafficStats {
  std::uint64_t accesses = 0, bytes = 0, lines = 0, sectors = 0;
  void statistics(stats::Visitor& v);
  void statistics(stats::Visitor& v, std::string_view nsight_accesses, std::string_view nsight_sectors);
};

struct SharedStats {
  std::uint64_t accesses = 0, bytes = 0, passes = 0;
  void statistics(stats::Visitor& v);
};

struct FunctionalStats {
  std::uint64_t launches = 0, ctas = 0, warps = 0, warp_instructions = 0, thread_instructions = 0,
                branches = 0, divergent_branches = 0;
  MixStats mix;
  TrafficStats global_load, global_store, local_load, local_store, constant_load, texture_load, atomic;
  SharedStats shared_load, shared_store;
  void statistics(stats::Visitor& v);
};

// Adds one launch.
void add_launch(FunctionalStats& stats, const LaunchProfile& launch);

// All launches, and separately per kernel in the order of first launch.
struct KernelStats {
  std::string kernel;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  FunctionalStats stats;
};
FunctionalStats total(std::span<const LaunchProfile> launches);
std::vector<KernelStats> by_kernel(std::span<const LaunchProfile> launches);

}  // namespace heddle::exec
