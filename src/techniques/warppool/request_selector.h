// The request selector's rule (rule 6): oldest line or lowest warp, and when it changes.
#pragma once

#include <cstdint>

#include "sim/time.h"
#include "techniques/warppool/warppool_spec.h"

namespace heddle::warppool {

class RequestSelector {
 public:
  RequestSelector(const WarpPoolSpec& spec, WarpPoolStats& stats)
      : spec_(spec),
        stats_(stats),
        by_warp_(spec.selection == Selection::WarpId),
        quantum_end_(spec.quantum) {}

  bool by_warp() const { return by_warp_; }
  // When the rule may change next.
  sim::Cycle changes_at() const { return spec_.selection == Selection::Switch ? quantum_end_ : sim::kNever; }

  // Before a request is selected in cycle `now`: quanta that have ended since.
  void pass(sim::Cycle now) {
    if (spec_.selection == Selection::Switch)
      while (now >= quantum_end_) end_quantum();
  }
  // The L1 has taken a request; `hit`, and if not, whether it joined a fetch that was under way.
  void count(bool hit, bool joined) {
    if (accesses_++ == 0) {
      ++stats_.quanta;
      stats_.warp_id_quanta += by_warp_;
    }
    misses_ += !hit && (spec_.miss == Miss::NoHit || !joined);
  }

 private:
  void end_quantum() {
    if (static_cast<double>(misses_) > spec_.threshold * static_cast<double>(accesses_)) {
      by_warp_ = !by_warp_;
      ++stats_.switches;
    }
    accesses_ = misses_ = 0;
    quantum_end_ += spec_.quantum;
  }

  const WarpPoolSpec& spec_;
  WarpPoolStats& stats_;
  bool by_warp_;
  sim::Cycle quantum_end_;
  std::uint64_t accesses_ = 0, misses_ = 0;
};

}  // namespace heddle::warppool
