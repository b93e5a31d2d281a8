// Runs points side by side, each in a process of its own: one that crashes or runs out of memory takes no
// other with it.
//
// The parent forks, so it must have no other threads. Results arrive in the order in which points end; the
// caller keeps them. Order of start: as given, so put the longest first.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "study/run/point.h"

namespace heddle::study {

struct Finished {
  std::size_t index = 0;   // of the point
  std::string record;      // JSON; empty when it failed
  std::string detail;      // of the run, as JSON (detail.h)
  std::string error;       // why it failed: the Error's text, or "killed by signal 9"
  double seconds = 0;      // wall clock
  int killed_by = 0;       // a signal; 0: it was not killed
  bool no_memory = false;  // it had too little memory, as far as that can be told
};

struct PoolOptions {
  std::uint32_t jobs = 0;                        // processes at once; 0: as many as there are cores
  const std::atomic<bool>* interrupt = nullptr;  // raised: children are ended, what is finished stays
};

// `jobs`, or the number of cores.
std::uint32_t processes(const PoolOptions& options);

// `done` is called in this process, once per point. `tick` every half second or so, with the points under
// way, to show progress. Returns false when interrupted.
bool run_points(std::span<const Point> points, const FindWorkload& find, const PoolOptions& options,
                const std::function<void(const Finished&)>& done,
                const std::function<void(std::span<const std::size_t> running)>& tick = {});

}  // namespace heddle::study
