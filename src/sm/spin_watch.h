// Finds warps that go round a loop without changing anything.
//
// A warp seen twice in the same state, with a backward branch taken in between and memory unchanged, will
// come back there for ever. States are compared with one kept from before; which one is kept moves on when
// twice as many have been seen (Brent's way to find a cycle), so the way into the loop does not matter.
#pragma once

#include <array>
#include <cstdint>

#include "sm/warp_scheduler.h"

namespace heddle::sm {

class SpinWatch {
 public:
  void restart() { *this = {}; }
  void next_sample() { ++samples_; }
  // One of the warps as it is now; state 0: unknown. True when it is known to go round.
  bool goes_round(unsigned warp, std::uint64_t state, std::uint64_t turns) {
    Seen& s = seen_[warp];
    if (state == 0) {
      s = {};
      return false;
    }
    if (s.round) return true;
    s.round = s.state == state && s.turns != turns;
    if (!s.round && (samples_ & (samples_ - 1)) == 0) s = {state, turns, false};
    return s.round;
  }
  // The same for one that does nothing until others let it: true when it was seen before as it is now. To be
  // asked before goes_round().
  bool stays(unsigned warp, std::uint64_t state, std::uint64_t turns) const {
    return state != 0 && seen_[warp].state == state && seen_[warp].turns == turns;
  }

 private:
  struct Seen {
    std::uint64_t state = 0, turns = 0;
    bool round = false;
  };
  std::array<Seen, kMaxWarps> seen_{};
  std::uint64_t samples_ = 0;
};

}  // namespace heddle::sm
