// A unit is a part of the machine that runs on its own for a window: an SM with its L1, a cluster's shared
// part, a network, a memory partition.
#pragma once

#include <string>

#include "sim/time.h"

namespace heddle::sim {

class Unit {
 public:
  virtual ~Unit() = default;

  // Simulates cycles [from, until). It may read its inputs, write its outputs and touch what it owns, nothing
  // else. Returns the first cycle, `until` or later, at which it has something to do of itself; kNever when
  // only a message, room in a full output, or a call from the window's end can wake it. `from` is where its
  // own last answer, or what woke it, told the engine to start: cycles in between were skipped.
  virtual Cycle run(Cycle from, Cycle until) = 0;

  virtual std::string name() const = 0;
  // For the report of a machine that does not proceed: what the unit holds and what it waits for, one line
  // each; empty when it holds nothing.
  virtual std::string waits() const = 0;
};

// Work done between windows, on one thread, in the order of registration: dispatching CTAs, committing
// stores, sampling.
class WindowEnd {
 public:
  virtual ~WindowEnd() = default;
  // All units have run up to `now`. Returns the next cycle at which it must be called even if no unit runs;
  // kNever when none.
  virtual Cycle window_end(Cycle now) = 0;
};

}  // namespace heddle::sim
