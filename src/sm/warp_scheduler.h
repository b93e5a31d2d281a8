// Slot: from which warp a scheduler issues.
//
// The SM asks only when at least one warp of the scheduler can issue this cycle: its operands are ready, its
// unit is free, and the scheduler admits it. A scheduler keeps its own order and may look at nothing but what
// it is given.
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
  // One of `candidates` (never empty, all admitted), which then issues. `stalled`: warps that wait for memory
  // or at a barrier.
  virtual unsigned pick(WarpMask candidates, WarpMask stalled) = 0;
  virtual void ended(unsigned /*warp*/) {}

  // Whether admitted() may leave a warp out. Asked once.
  virtual bool limits() const { return false; }
  // Those of its warps that run which may issue at all. `waiting`: who of them waits for others, at a barrier
  // or a fence, or has atomics under way. If it leaves out a warp that one of these may wait for, nobody may
  // ever go on. The answer may change only with its arguments and after pick() and ended(): the SM skips
  // cycles in which none of them did.
  virtual WarpMask admitted(WarpMask running, WarpMask /*waiting*/) const { return running; }
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
// Those that come with sm/: lrr, gto, two_level, oldest, swl. Techniques bring theirs in the same form; the
// catalog (gpu/catalog.h) has them all.
std::span<const WarpSchedulerKind> warp_schedulers();
// One of these; throws Error for another name.
std::unique_ptr<WarpScheduler> make_warp_scheduler(std::string_view name, const WarpAges& ages,
                                                   const SchedulerParams& params);

}  // namespace heddle::sm
