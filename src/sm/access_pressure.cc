#include "sm/access_pressure.h"

#include <numeric>

#include <fmt/format.h>

namespace heddle::sm {

PressureStats& PressureStats::operator+=(const PressureStats& other) {
  wait_cycles += other.wait_cycles;
  waiting += other.waiting;
  requests += other.requests;
  for (std::size_t i = 0; i < saved.size(); ++i) saved[i] += other.saved[i];
  return *this;
}

void PressureStats::statistics(stats::Visitor& v) {
  v.counter("wait_cycles", wait_cycles,
            {"cycles",
             "Of SMs, in which a memory instruction waited for its way to the L1 (with "
             "measure.pressure)"});
  v.counter("waiting", waiting,
            {"instruction cycles", "Memory instructions that waited, summed over cycles and SMs"});
  v.counter("requests", requests,
            {"requests", "Line requests of SMs in the order of issue: global memory and textures"});
  for (std::size_t i = 0; i < saved.size(); ++i)
    v.counter(fmt::format("saved_{}", kPressureWindows[i]), saved[i],
              {"requests", fmt::format("Of these: for a line that one of the last {} of the SM was for, "
                                       "with nothing between that forbids to share it",
                                       kPressureWindows[i])});
}

PressureStats AccessPressure::statistics() const {
  PressureStats s;
  s.wait_cycles = waits_.cycles();
  s.waiting = waits_.sum();
  s.requests = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < kPressureWindows.size(); ++i)
    s.saved[i] =
        std::accumulate(counts_.begin() + 1, counts_.begin() + 1 + kPressureWindows[i], std::uint64_t{0});
  return s;
}

void AccessPressure::clear() {
  waits_.clear();
  window_.clear();
  counts_ = {};
}

}  // namespace heddle::sm
