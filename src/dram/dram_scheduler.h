// Slot: which waiting transfer a DRAM bank serves next, and which bank gets the command bus.
//
// The controller owns banks, timing and transfers. It places at most one transfer at each bank and issues the
// commands that transfer needs; a bank is free again when the last column command has been issued. The
// scheduler decides only when something has changed, never per tick, so it must not depend on time. It may
// read what SchedulerView shows and change nothing but its own queues.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/params.h"
#include "dram/channel.h"

namespace heddle::dram {

using Entry = std::uint32_t;  // index of a waiting transfer; reused after its last column command
inline constexpr Entry kNoEntry = ~0u;
inline constexpr std::uint32_t kNoRow = ~0u;
using BankMask = std::uint64_t;  // banks of one pseudo channel

struct Waiting {
  std::uint64_t order = 0;  // of arrival
  std::uint32_t row = 0;
  std::uint16_t bank = 0;  // of the pseudo channel
  bool write = false;
};

struct SchedulerView {
  const Waiting* transfers = nullptr;       // by Entry
  const std::uint32_t* open_row = nullptr;  // by bank; kNoRow: closed
  const Entry* placed = nullptr;            // by bank; kNoEntry: free
  std::uint32_t banks = 0, entries = 0;
};

class DramScheduler {
 public:
  virtual ~DramScheduler() = default;
  // `e` has entered the queue.
  virtual void arrived(Entry e) = 0;
  // Takes out of the queue a transfer for one of the `free` banks; kNoEntry when none should go now. Called
  // again until it gives kNoEntry, after arrivals and whenever a bank has become free.
  virtual Entry place(BankMask free) = 0;
  // `newcomer` has just arrived at the bank where `placed` waits for another row to be closed. True: `placed`
  // goes back to where it came from, the bank is free.
  virtual bool recall(Entry placed, Entry newcomer) = 0;
  // One of the banks in `ready` (not empty), whose placed transfers can all issue a command of one kind now:
  // a column command, or else one that opens or closes a row.
  virtual std::uint32_t choose(BankMask ready) = 0;
  // Whether place() chooses among banks: with dram.one_placement they then take turns.
  virtual bool chooses_bank() const { return true; }
};

// The implementations' names and what they do.
const std::vector<config::NamedChoice>& scheduler_choices();
// By spec.scheduler and the spec's other scheduling parameters.
std::unique_ptr<DramScheduler> make_scheduler(const DramSpec& spec, const SchedulerView& view);

// Of the banks in `ready`, the one whose placed transfer came first.
inline std::uint32_t oldest_placed(const SchedulerView& view, BankMask ready) {
  auto best = static_cast<std::uint32_t>(__builtin_ctzll(ready));
  for (BankMask m = ready & (ready - 1); m != 0; m &= m - 1) {
    const auto b = static_cast<std::uint32_t>(__builtin_ctzll(m));
    if (view.transfers[view.placed[b]].order < view.transfers[view.placed[best]].order) best = b;
  }
  return best;
}

}  // namespace heddle::dram
