// What an ideal coalescer between warps could save at one SM: one that remembers the last w line requests to
// the L1 and drops a request that one of them has made already.
//
// A request is saved by a window of w if the last request for its line is at most w requests back and is of
// the same kind: a load cannot take what was loaded before a store to the line, a store nothing from a load.
// Atomics are never saved. All requests of the stream count as places of the window, saved or not, so that
// one pass gives all w.
#pragma once

#include <array>
#include <cstdint>

#include "mem/request.h"

namespace heddle::mem {

inline constexpr std::uint32_t kMostWindow = 128;

// Requests by the smallest window that saves them; [0]: what no window does.
using WindowCounts = std::array<std::uint64_t, kMostWindow + 1>;

// Requests that are left with a window of `w`, as a share of all; 1 where there are none.
double left_with_window(const WindowCounts& counts, std::uint32_t w);

class MergeWindow {
 public:
  // The stream begins anew.
  void clear() { begun_ = 0; }
  void request(std::uint64_t line, Op op, WindowCounts& counts);

 private:
  struct Place {
    std::uint64_t line = 0;
    Op op = Op::Read;
  };
  std::array<Place, kMostWindow> last_;  // by number modulo their count
  std::uint64_t begun_ = 0;              // requests so far
};

}  // namespace heddle::mem
