// How many requests for lines of global memory were redundant at one place (icc.md rule 20: the L1 misses of
// a cluster, before anything merges them and before the network), and why.
//
// For each window W of kWindows:
// - A request is *redundant* if the same line was requested here at most W cycles before, by any SM: the SM's
//   own repeats count.
// - The cause is *data sharing* if at least one of the 4-byte words that its lanes touch was touched by one
// of
//   the requests for the line within W before it (all of them, not only the last); else *line sharing*: other
//   words of the same line.
// - It is redundant with *another SM* if one of those requests came from an SM other than its own, else with
//   the *same SM* only.
// So redundant = line sharing + data sharing = same SM + other SM. Redundant, data sharing and other SM grow
// with W; what is line sharing in a short window may be data sharing in a longer one. Requests are compared
// in the order in which they come; those of the same cycle count as 0 cycles apart.
//
// Every request is looked at; nothing is sampled. Lines that were not requested within the largest window are
// forgotten. With lines of 256 bytes, words 128 bytes apart count as one (mem::Request::words).
#pragma once

#include <array>
#include <cstdint>

#include "mem/recent_keys.h"
#include "mem/request.h"
#include "stats/visitor.h"

namespace heddle::mem {

inline constexpr std::array<std::uint32_t, 4> kLocalityWindows = {500, 1000, 1500, 2000};  // cycles

struct LocalityStats {
  struct Window {
    std::uint64_t redundant = 0;
    std::uint64_t line_sharing = 0, data_sharing = 0;
    std::uint64_t same_sm = 0, other_sm = 0;
  };
  std::uint64_t requests = 0;
  std::array<Window, kLocalityWindows.size()> windows;
  void statistics(stats::Visitor& v);
};

class LocalityMeter {
 public:
  LocalityMeter() : lines_(kLocalityWindows.back()) {}

  // The next request of the stream; only reads of global memory belong to it.
  void request(sim::Cycle now, const Request& r);

  // What was asked for is remembered: time goes on between kernels.
  void clear_statistics() { stats_ = {}; }
  const LocalityStats& statistics() const { return stats_; }
  std::uint32_t remembered() const { return lines_.used(); }

 private:
  static constexpr std::uint32_t kWords = 32;
  // Older than every window. Times of words are the lower 32 bits of a cycle; whenever the line is requested,
  // which happens within the largest window or it is forgotten, older ones are raised to this age, so that
  // they never look young again.
  static constexpr std::uint32_t kOld = kLocalityWindows.back() + 1;
  struct Line {
    std::array<std::uint32_t, kWords> touched;
    sim::Cycle other = 0;  // the last request by another SM than `sm`
    bool others = false;   // whether there was one
    std::uint16_t sm = 0;  // of the last request
  };
  using Lines = RecentKeys<Line>;

  void count(std::uint64_t line_age, std::uint64_t data_age, std::uint64_t other_age);

  Lines lines_;
  LocalityStats stats_;
};

}  // namespace heddle::mem
