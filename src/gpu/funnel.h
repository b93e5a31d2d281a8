// The funnel: what becomes of the loads from global memory on their way from lanes to DRAM rows, level by
// level, and beside each level what could have been merged there. Computed from a machine's statistics; every
// number is counted, none is estimated.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpu/gpu_spec.h"
#include "gpu/machine_stats.h"

namespace heddle::gpu {

struct FunnelLevel {
  std::string_view name;  // "L1 misses"
  std::string_view unit;  // "requests"
  std::string_view by;    // what stands between the level before and this one: "L1 hits"
  std::uint64_t count = 0;
  // Of `count`, for what was asked for at this place within the window or was under way there. None: nobody
  // looks here, or measure.funnel is off.
  std::optional<std::uint64_t> could_merge;
};

enum class FunnelStage : std::uint8_t {
  Lanes,         // accesses of single lanes
  LineRequests,  // after intra-warp coalescing
  InterWarp,     // at the L1; fewer than line requests only with something that merges warps' requests
  L1Misses,
  AfterMshr,  // left their SM
  AfterCluster,
  Packets,  // in the request network
  L2Misses,
  AfterL2Mshr,  // asked of memory
  Bursts,       // of DRAM
  Activations,  // of DRAM rows, for these bursts
};

// One place where requests meet: what came, what went on, what could have been merged.
struct FunnelPlace {
  std::string_view name;  // "the L1s"
  FunnelStage in = FunnelStage::Lanes, out = FunnelStage::Lanes;
};
const std::vector<FunnelPlace>& funnel_places();

struct Funnel {
  std::vector<FunnelLevel> levels;  // by FunnelStage
  const FunnelLevel& at(FunnelStage s) const { return levels[static_cast<std::size_t>(s)]; }
  // What a place took away: never negative where units are the same.
  std::uint64_t removed(const FunnelPlace& place) const;
  // What it could have merged and did not; none without measure.funnel.
  std::optional<std::uint64_t> left(const FunnelPlace& place) const;
};

// What took requests away at a place, by name: "L1 hits", "merge table". Parts add up to Funnel::removed().
struct FunnelPart {
  std::string_view by;
  std::uint64_t count = 0;
};
std::vector<FunnelPart> removed_by(const FunnelPlace& place, const MachineStats& stats, const GpuSpec& spec);

// `measured`: measure.funnel was on.
Funnel funnel(const MachineStats& stats, bool measured);

// Counts on both sides of every level that must be equal at a kernel's end: in = hit + merged + forwarded +
// bypassed, and what one level sends the next receives.
struct FunnelIdentity {
  std::string_view what;
  std::uint64_t above = 0, below = 0;
};
std::vector<FunnelIdentity> funnel_identities(const MachineStats& stats);

}  // namespace heddle::gpu
