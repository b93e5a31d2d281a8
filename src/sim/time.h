// Simulated time: cycles of the core clock. Other clocks have an exact ratio to it.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace heddle::sim {

using Cycle = std::uint64_t;
inline constexpr Cycle kNever = ~std::uint64_t{0};

// A clock domain. Tick t of the domain begins at the first core cycle that is not before it; both directions
// are exact integers, so a run never drifts.
class Clock {
 public:
  constexpr Clock() = default;  // the core's own
  constexpr Clock(Frequency own, Frequency core) {
    std::uint64_t a = own.count(), b = core.count();
    while (b != 0) {
      const std::uint64_t r = a % b;
      a = b;
      b = r;
    }
    ticks_ = own.count() / a;
    cycles_ = core.count() / a;
    narrow_ = kNever / (ticks_ > cycles_ ? ticks_ : cycles_) - 1;
  }
  // The core cycle in which tick `t` begins.
  constexpr Cycle cycle_of(std::uint64_t t) const {
    if (ticks_ == cycles_) return t;
    if (t < narrow_) return (t * cycles_ + ticks_ - 1) / ticks_;
    return static_cast<Cycle>((static_cast<unsigned __int128>(t) * cycles_ + ticks_ - 1) / ticks_);
  }
  // The first tick that begins in core cycle `c` or later.
  constexpr std::uint64_t tick_from(Cycle c) const {
    if (ticks_ == cycles_ || c == 0) return c;
    if (c <= narrow_) return (c - 1) * ticks_ / cycles_ + 1;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(c - 1) * ticks_ / cycles_) + 1;
  }
  constexpr std::uint64_t ticks() const { return ticks_; }
  constexpr std::uint64_t cycles() const { return cycles_; }
  constexpr bool same_as_core() const { return ticks_ == cycles_; }

 private:
  std::uint64_t ticks_ = 1, cycles_ = 1;
  std::uint64_t narrow_ = 0;  // times below it do not need 128 bits, which take a library call
};

// Core cycles that `ticks` of a clock take from a core cycle on, averaged over their phases.
inline double mean_cycles(const Clock& clock, std::uint64_t ticks) {
  if (clock.same_as_core()) return static_cast<double>(ticks);
  constexpr Cycle kPhases = 5040;
  std::uint64_t sum = 0;
  for (Cycle c = 1; c <= kPhases; ++c) sum += clock.cycle_of(clock.tick_from(c) + ticks) - c;
  return static_cast<double>(sum) / static_cast<double>(kPhases);
}

}  // namespace heddle::sim
