// The lines of constants that instructions read whose lanes all ask for one word: they come beside the
// load/store unit, from a small cache of its own. A warp that misses waits for the line; lines come one after
// another (validation/data/h200_constants.csv).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace heddle::sm {

class UniformConstants {
 public:
  static constexpr std::uint32_t kLine = 64;

  // 0 bytes: perfect.
  UniformConstants(std::uint64_t bytes, std::uint32_t latency, std::uint32_t interval)
      : lines_(bytes / kLine), latency_(latency), interval_(interval) {
    held_.reserve(lines_);
  }
  // When the word's line is there, now or later; `missed` tells whether it had to be asked for.
  sim::Cycle read(sim::Cycle now, std::uint64_t address, bool& missed) {
    missed = false;
    if (lines_ == 0) return now;
    const std::uint64_t line = address / kLine;
    const auto at = std::find_if(held_.begin(), held_.end(), [&](const Held& h) { return h.line == line; });
    if (at != held_.end()) {
      std::rotate(held_.begin(), at, at + 1);
      return std::max(now, held_.front().there);
    }
    missed = true;
    if (held_.size() == lines_) held_.pop_back();
    free_ = std::max(free_, now) + interval_;
    held_.insert(held_.begin(), {line, free_ + latency_});
    return held_.front().there;
  }
  void flush() { held_.clear(); }

 private:
  struct Held {
    std::uint64_t line;
    sim::Cycle there;
  };
  std::size_t lines_;
  std::uint32_t latency_, interval_;
  std::vector<Held> held_;  // most recently used first
  sim::Cycle free_ = 0;     // for the next line
};

}  // namespace heddle::sm
