// Tells a machine that will never end its kernel from one that only takes long.
//
// A machine may be as slow as its description says: cycles that pass are no sign of anything. What counts is
// what warps do. Progress is what others can see: CTAs and warps that start and end, barriers, stores,
// atomics that change memory. Computing alone is none, since a loop that waits computes as well.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/dispatcher.h"
#include "hierarchy/l1_organization.h"
#include "mem/atomic_unit.h"
#include "sim/engine.h"

namespace heddle::gpu {

class Watchdog {
 public:
  // `patience`: cycles in which one SM issues instructions, while nobody on the machine makes progress.
  Watchdog(const sim::Engine& engine, const mem::AtomicUnit& atomics, std::uint64_t patience)
      : engine_(engine), atomics_(atomics), patience_(patience) {}

  // A launch begins; statistics have been cleared.
  void begin(const Dispatcher& dispatcher, const hierarchy::L1Level::Cores& cores);
  // Between windows, now and then. Done: the run goes on.
  sim::EndReason look(sim::Cycle now);
  // What was found, for the user; empty for a reason that is none of the watchdog's.
  std::string why(sim::EndReason end) const;

 private:
  // Windows in which units ran, and neither an instruction was issued nor a message sent. A slow clock does
  // not simulate windows: time jumps from tick to tick.
  static constexpr std::uint64_t kMostIdleWindows = 1u << 24;

  std::uint64_t progress() const;
  std::uint64_t effort() const;
  bool repeats_for_ever(bool progressed, sim::Cycle now);
  bool nothing_moves();

  const sim::Engine& engine_;
  const mem::AtomicUnit& atomics_;
  const Dispatcher* dispatcher_ = nullptr;
  const hierarchy::L1Level::Cores* cores_ = nullptr;
  std::uint64_t patience_;

  std::uint64_t last_progress_ = 0, effort_then_ = 0;
  sim::Cycle repeats_since_ = sim::kNever;  // when every warp was known to wait or to go round a loop
  std::uint64_t moves_ = 0, windows_then_ = 0;
};

}  // namespace heddle::gpu
