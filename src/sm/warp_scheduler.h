// Slot: from which warp a scheduler issues.
//
// The SM asks only when at least one warp of the scheduler can issue this cycle: its operands are ready and
// its unit is free. A scheduler keeps its own order and may look at nothing but what it is given.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "config/reader.h"
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

// `ages` outlives the scheduler.
using WarpSchedulerFactory =
    std::function<std::unique_ptr<WarpScheduler>(const WarpAges& ages, const SchedulerParams& params)>;

struct WarpSchedulerKind {
  std::string_view name, description;
  // Reads (or only describes) the parameters of its own section, sm.NAME.*; what it returns makes the
  // schedulers of every SM.
  WarpSchedulerFactory (*read)(config::Reader& section);
};
// Those that come with sm/: lrr, gto, two_level, oldest. Techniques bring theirs in the same form; the
// catalog (gpu/catalog.h) has them all.
std::span<const WarpSchedulerKind> warp_schedulers();
// One of these; throws Error for another name.
std::unique_ptr<WarpScheduler> make_warp_scheduler(std::string_view name, const WarpAges& ages,
                                                   const SchedulerParams& params);

}  // namespace heddle::sm
