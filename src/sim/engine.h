// Advances units on one or several host threads, with identical results.
//
// Time is divided into windows, all of one length, at whose ends everything that is shared happens: stores
// become visible, CTAs that ended are noticed, samples are taken. The window is the longest latency for which
// the machine still falls into parts: a part is a set of units connected by shorter channels (most are one
// unit), and no part may hold more than half of the work, by the units' weights. Between parts nothing
// travels faster than a window, so each simulates a whole window alone, on any thread. Inside a part the same
// happens once more, with windows as short as its own channels: a short link costs only those who stand at
// it.
//
// Why no result depends on threads or on the length of the inner windows: a unit's cycle t is a function of
// its own state, of messages that arrive at t or before and of places given back by t. Either was decided at
// least a channel's latency before t, in a window that is over and published. The outer window is visible, by
// what happens at its end; it follows from the description alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/channel.h"
#include "sim/time.h"
#include "sim/unit.h"

namespace heddle::sim {

struct EngineOptions {
  std::uint32_t threads = 1;     // host threads
  std::uint32_t thread_map = 0;  // rotates which units run on which thread; results do not depend on it
  bool every_cycle =
      false;         // runs every unit in every cycle: slow, for tests of what units say of themselves
  Cycle window = 0;  // of a machine without channels between its parts; else 0: as above
};

enum class EndReason : std::uint8_t {
  Done,  // the condition given to run() held
  CycleLimit,
  Interrupted,  // the flag given to run() was raised
  Stuck,        // nobody will ever do anything again
  NoProgress,   // units run, and who was asked to look has seen nothing come of it for too long
  Hopeless,     // units run, and it is certain that nothing will come of it
};

class ThreadPool;

class Engine {
 public:
  explicit Engine(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Units of a part run in the order in which they were added.
  UnitId add(Unit& unit);
  void connect(ChannelBase& channel, UnitId writer, UnitId reader);
  void between(Between& work);
  // After the last add() and connect(): divides the machine into parts. run() does it otherwise.
  void arrange();

  // From a Between: run `unit` no later than at `cycle`.
  void wake(UnitId unit, Cycle cycle);

  struct Limits {
    Cycle until = kNever;  // stop at this cycle
    // Asked between windows every `look_every` cycles or a little later; any answer but Done ends the run.
    Cycle look_every = 8192;
    std::function<EndReason(Cycle now)> look = nullptr;
    const std::atomic<bool>* interrupt = nullptr;
  };
  // Runs until `done` holds at a window's end.
  EndReason run(const std::function<bool()>& done, const Limits& limits);

  Cycle now() const { return now_; }
  Cycle window() const { return window_; }
  std::size_t parts() const { return parts_.size(); }
  // Who waits for whom: every unit that holds something, and channels that are not empty.
  std::string report() const;

  std::uint64_t windows() const { return windows_; }  // simulated ones, not those jumped over
  std::uint64_t messages() const {
    return messages_;
  }  // channels between parts that were used, window by window

 private:
  struct UnitState;
  struct Part;
  struct Worker;
  Cycle chosen_window() const;
  std::vector<UnitId> parts_at(Cycle window) const;
  void assign_threads();
  void run_part(Part& part, Cycle until);
  void run_unit(Part& part, UnitId id, Cycle until);
  void publish_inner(Part& part);
  void run_parts(std::uint32_t thread);
  bool runnable(const Part& part) const;
  void run_window();
  void run_every_cycle();
  void run_runnable(bool share);
  std::uint64_t decide();
  Cycle publish();
  void raise_first_error();

  EngineOptions options_;
  Cycle now_ = 0, window_ = 0, until_ = 0;
  Cycle wake_ = kNever;             // the earliest wake() since the last window
  std::uint32_t busy_windows_ = 0;  // in a row, with enough to share among threads
  bool measuring_ = false;          // host time of every part, in this window
  std::vector<UnitState> units_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Between*> between_;
  std::vector<ChannelBase*> channels_;
  std::unique_ptr<ThreadPool> pool_;
  std::uint64_t windows_ = 0, messages_ = 0;
};

}  // namespace heddle::sim
