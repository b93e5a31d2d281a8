// Recognising a grid that will never do anything but what it has done.
#pragma once

#include <cstdint>

namespace heddle::exec {

struct ExecContext;

// Finds a cycle in a sequence of states by comparing each with an earlier one, which is replaced ever more
// seldom: cycles of any length are found, and one state is kept.
class Repetition {
 public:
  // Whether `state` is the one kept.
  bool seen(std::uint64_t state);

 private:
  std::uint64_t kept_ = 0, age_ = 0, patience_ = 0;
};

// Counts what may have changed memory, or anything else besides the registers of warps, in the launch so far:
// equal numbers, nothing has changed. Atomics count if they changed their cell.
std::uint64_t visible_changes(const ExecContext& context);

}  // namespace heddle::exec
