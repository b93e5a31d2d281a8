// A unit is a part of the machine that simulates stretches of time on its own: an SM with its L1, a cluster's
// shared part, a network, a memory partition.
#pragma once

#include <cstdint>
#include <string>

#include "sim/time.h"

namespace heddle::sim {

class Unit {
 public:
  virtual ~Unit() = default;

  // Simulates cycles [from, until). It may read its inputs, write its outputs and touch what it owns, nothing
  // else. Returns the first cycle, `until` or later, at which it has something to do of itself; kNever when
  // only a message, a place in a full output, or a call from between windows can wake it. `from` is where its
  // own last answer, or what woke it, told the engine to start: cycles in between were skipped, and being run
  // in more cycles than it asked for changes nothing.
  //
  // A cycle before `until` means: it stopped there, and must not go on before Between::decide() has been
  // asked.
  virtual Cycle run(Cycle from, Cycle until) = 0;

  // Its share of the host's work, roughly, beside a unit of weight 1: decides which units become one part of
  // the machine (engine.h).
  virtual std::uint32_t weight() const { return 1; }

  virtual std::string name() const = 0;
  // For the report of a machine that does not proceed: what the unit holds and what it waits for, one line
  // each; empty when it holds nothing.
  virtual std::string waits() const = 0;
};

// Work done between stretches, on one thread, in the order of registration: dispatching CTAs, committing
// stores, sampling.
class Between {
 public:
  virtual ~Between() = default;
  // A window is over: all units have run up to `now`. Returns the next cycle at which it must be called even
  // if no unit runs; kNever when none.
  virtual Cycle window_end(Cycle now) = 0;
  // Inside a window that will end at `window_end`: every unit has run up to `at` at least. Returns the
  // cycle before which all is decided: units that stopped before it go on.
  virtual Cycle decide(Cycle /*at*/, Cycle /*window_end*/) { return kNever; }
};

}  // namespace heddle::sim
