// Slot: from which warp a scheduler issues.
//
// The SM asks only when at least one warp of the scheduler can issue this cycle: its operands are ready and
// its unit is free. A scheduler keeps its own order and may look at nothing but what it is given.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "config/params.h"
#include "sm/warp_mask.h"

namespace heddle::sm {

// What schedulers may know about the warps of the SM.
struct WarpAges {
  std::array<std::uint64_t, kMaxWarps> launched{};  // sequence number of the warp's launch: smaller is older
};

class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  // One of `candidates` (never empty), which then issues. `stalled`: warps that wait for memory or at a
  // barrier.
  virtual unsigned pick(WarpMask candidates, WarpMask stalled) = 0;
  virtual void ended(unsigned /*warp*/) {}
};

struct SchedulerParams {
  std::uint32_t active_warps = 8;  // two_level
};

struct WarpSchedulerEntry {
  std::string_view name, description;
  std::unique_ptr<WarpScheduler> (*make)(const WarpAges& ages, const SchedulerParams& params);
};
std::span<const WarpSchedulerEntry> warp_schedulers();
std::vector<config::NamedChoice> scheduler_names();
std::unique_ptr<WarpScheduler> make_warp_scheduler(std::string_view name, const WarpAges& ages,
                                                   const SchedulerParams& params);

}  // namespace heddle::sm
