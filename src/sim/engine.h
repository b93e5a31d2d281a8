// Advances units window by window, on one or several host threads, with identical results.
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
  Cycle window = 1;              // not larger than the latency of any channel
  std::uint32_t threads = 1;     // host threads
  std::uint32_t thread_map = 0;  // rotates which units run on which thread; results do not depend on it
};

enum class EndReason : std::uint8_t {
  Done,  // the condition given to run() held
  CycleLimit,
  Interrupted,  // the flag given to run() was raised
  Stuck,        // nobody will ever do anything again
  NoProgress,   // units run, and who was asked to look has seen nothing come of it for too long
  Hopeless,     // units run, and it is certain that nothing will come of it
};

class Engine {
 public:
  explicit Engine(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Units run in the order in which they were added; `group` chooses the host thread (group % threads).
  UnitId add(Unit& unit, std::uint32_t group);
  void connect(ChannelBase& channel, UnitId writer, UnitId reader);
  void at_window_end(WindowEnd& end);

  // From a WindowEnd: run `unit` no later than at `cycle`.
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
  Cycle window() const { return options_.window; }
  // Who waits for whom: every unit that holds something, and channels that are not empty.
  std::string report() const;

  std::uint64_t windows() const { return windows_; }            // simulated ones, not those jumped over
  std::uint64_t unit_windows() const { return unit_windows_; }  // calls of Unit::run
  std::uint64_t messages() const { return messages_; }          // channels that were used, window by window

 private:
  struct Slot;
  struct Worker;
  struct Pool;
  void run_units(std::uint32_t thread, Cycle until);
  std::uint64_t run_window(Cycle until);
  Cycle publish(Cycle until);
  void raise_first_error();

  EngineOptions options_;
  Cycle now_ = 0;
  Cycle wake_ = kNever;             // the earliest wake() of this window's end
  std::uint32_t busy_windows_ = 0;  // in a row, with enough units to share among threads
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<WindowEnd*> ends_;
  std::vector<ChannelBase*> channels_;
  std::unique_ptr<Pool> pool_;
  std::uint64_t windows_ = 0, unit_windows_ = 0, messages_ = 0;
};

}  // namespace heddle::sim
