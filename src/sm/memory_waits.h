// How many memory instructions of an SM wait, over time. An instruction that goes past the SM (to global,
// local or texture memory) waits from the cycle in which it could be issued until all of its line requests
// have gone to the L1: first for the load/store unit, then in its queue.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace heddle::sm {

class MemoryWaits {
 public:
  // After the SM's step at `now`: so many wait, until told otherwise.
  void at(sim::Cycle now, std::uint32_t waiting) {
    const sim::Cycle passed = now - since_;
    if (waiting_ != 0) cycles_ += passed;
    sum_ += passed * waiting_;
    since_ = now;
    waiting_ = waiting;
  }
  void clear() { cycles_ = sum_ = 0; }
  std::uint64_t cycles() const { return cycles_; }  // in which at least one waited
  std::uint64_t sum() const { return sum_; }        // of those that waited, over all cycles

 private:
  sim::Cycle since_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint64_t cycles_ = 0, sum_ = 0;
};

}  // namespace heddle::sm
