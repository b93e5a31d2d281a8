// How many warps of an SM could issue, over time: those whose next instruction has its operands and which
// wait for nothing else, in every cycle in which the pipeline is not stalled as a whole
// (sm.lsu_stalls_issue), while warps are resident. What GPGPU-Sim 2 calls num_warps_issuable. Only looks on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/time.h"
#include "stats/visitor.h"

namespace heddle::sm {

struct AvailableStats {
  std::uint64_t cycles = 0, warps = 0;
  AvailableStats& operator+=(const AvailableStats& other) {
    cycles += other.cycles;
    warps += other.warps;
    return *this;
  }
  void statistics(stats::Visitor& v);
};

class AvailableWarps {
 public:
  // What holds from a cycle on.
  struct State {
    std::uint32_t warps = 0;       // could issue
    bool resident = false;         // there are warps at all
    sim::Cycle stalled_until = 0;  // the pipeline
  };
  // In the SM's step at `now`: before it issues, and what then holds until the next step.
  void before(sim::Cycle now, const State& s) {
    count(since_, now, state_);
    count(now, now + 1, s);
  }
  void after(sim::Cycle now, const State& s) {
    since_ = now + 1;
    state_ = s;
  }
  const AvailableStats& statistics() const { return stats_; }
  // A launch begins; nothing is resident.
  void clear() {
    stats_ = {};
    state_ = {};
  }

 private:
  void count(sim::Cycle from, sim::Cycle until, const State& s) {
    from = std::max(from, s.stalled_until);
    if (!s.resident || from >= until) return;
    stats_.cycles += until - from;
    stats_.warps += (until - from) * s.warps;
  }

  sim::Cycle since_ = 0;
  State state_;
  AvailableStats stats_;
};

}  // namespace heddle::sm
