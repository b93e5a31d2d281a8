// How much presses on the way from an SM to its L1: memory instructions that wait, and line requests that a
// window between warps would have saved. Only looks on.
#pragma once

#include <array>
#include <cstdint>

#include "mem/merge_window.h"
#include "sm/memory_waits.h"
#include "stats/visitor.h"

namespace heddle::sm {

inline constexpr std::array<std::uint32_t, 7> kPressureWindows = {2, 4, 8, 16, 32, 64, 128};  // requests

struct PressureStats {
  std::uint64_t wait_cycles = 0, waiting = 0;                  // sm/memory_waits.h
  std::uint64_t requests = 0;                                  // line requests, global memory and textures
  std::array<std::uint64_t, kPressureWindows.size()> saved{};  // of these, by windows
  PressureStats& operator+=(const PressureStats& other);
  void statistics(stats::Visitor& v);
};

class AccessPressure {
 public:
  MemoryWaits& waits() { return waits_; }
  // The next line request in the order of issue.
  void request(std::uint64_t line, mem::Op op) { window_.request(line, op, counts_); }

  PressureStats statistics() const;
  // A launch begins: nothing waits, and nothing of the last one can be merged with.
  void clear();

 private:
  MemoryWaits waits_;
  mem::MergeWindow window_;
  mem::WindowCounts counts_{};
};

}  // namespace heddle::sm
