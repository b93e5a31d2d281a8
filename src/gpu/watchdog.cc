#include "gpu/watchdog.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::gpu {

using sim::Cycle;
using sim::EndReason;

void Watchdog::begin(const Dispatcher& dispatcher, const hierarchy::L1Level::Cores& cores) {
  cores_ = &cores;
  dispatcher_ = &dispatcher;
  last_progress_ = progress();
  effort_then_ = moves_ = 0;
  repeats_since_ = sim::kNever;
  windows_then_ = engine_.windows();
}

std::uint64_t Watchdog::progress() const {
  std::uint64_t work = dispatcher_->ended() + atomics_.changes();
  for (const auto& t : *cores_) {
    const sm::SmStats& s = t->sm().statistics();
    work += s.warps + s.barriers + s.global_store.instructions + s.local_store.instructions;
  }
  return work;
}

std::uint64_t Watchdog::effort() const {
  std::uint64_t most = 0;
  for (const auto& t : *cores_) most = std::max(most, t->sm().statistics().issuing_cycles);
  return most;
}

// Whether no warp will ever do anything but what it has done. Every warp waits at a barrier or came back to
// the same state, and memory has not changed: it will do the same again, provided that the atomics which it
// sent on its way round do not change memory either when they arrive. So those under way at that moment must
// have been answered.
bool Watchdog::repeats_for_ever(bool progressed, Cycle now) {
  bool all = true;
  for (const auto& t : *cores_) all &= t->sm().only_spins(progressed);
  if (!all || progressed || dispatcher_->ended() == dispatcher_->started()) {
    repeats_since_ = sim::kNever;
    return false;
  }
  repeats_since_ = std::min(repeats_since_, now);
  return std::all_of(cores_->begin(), cores_->end(),
                     [&](const auto& t) { return t->sm().oldest_atomic() >= repeats_since_; });
}

bool Watchdog::nothing_moves() {
  std::uint64_t moves = engine_.messages();
  for (const auto& t : *cores_) moves += t->sm().statistics().issuing_cycles;
  if (moves != moves_) {
    moves_ = moves;
    windows_then_ = engine_.windows();
  }
  return engine_.windows() - windows_then_ > kMostIdleWindows;
}

EndReason Watchdog::look(Cycle now) {
  const std::uint64_t p = progress(), done = effort();
  const bool progressed = p != last_progress_;
  if (progressed) effort_then_ = done;
  last_progress_ = p;
  if (repeats_for_ever(progressed, now)) return EndReason::Hopeless;
  if (done - effort_then_ > patience_) return EndReason::NoProgress;
  return nothing_moves() ? EndReason::Stuck : EndReason::Done;
}

std::string Watchdog::why(EndReason end) const {
  switch (end) {
    case EndReason::Stuck:
      return "nobody can do anything any more";
    case EndReason::Hopeless:
      return "every warp waits or repeats the same loop with the same values, and memory does not change,";
    case EndReason::NoProgress:
      return fmt::format("an SM issued instructions in {} cycles without progress (gpu.patience)", patience_);
    default:
      return {};
  }
}

}  // namespace heddle::gpu
