// One line on standard error that tells how far a simulation is, rewritten in place.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "gpu/machine.h"

namespace heddle::cli {

class ProgressLine {
 public:
  // `in_place`: overwrite the line (a terminal); else one line after the other.
  ProgressLine(std::FILE* out, bool in_place) : out_(out), in_place_(in_place) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const gpu::Progress& p);
  void clear();  // before other output

 private:
  using Clock = std::chrono::steady_clock;
  double since(Clock::time_point t) const;

  std::FILE* out_;
  bool in_place_;
  bool shown_ = false;
  Clock::time_point began_ = Clock::now(), last_{};
};

// The text of the line; `rate`: simulated cycles per second of the host.
std::string progress_text(const gpu::Progress& p, double rate);

}  // namespace heddle::cli
