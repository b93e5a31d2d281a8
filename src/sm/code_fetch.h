// What an SM's warps wait for when they come to code that is not in its instruction cache.
//
// Lines behind one another come one after another, at a rate (sm.icache_miss_interval); the line that a jump
// leads to takes longer, and so does the first of a kernel that the SM has not run, from L2 or memory
// (validation/data/h200_cold_code.csv). Without a rate every warp waits for its lines by itself: then the
// line behind a fetched one costs nothing where the cache fetches ahead.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/time.h"
#include "sm/sm_spec.h"
#include "sm/small_cache.h"

namespace heddle::sm {

class CodeFetch {
 public:
  explicit CodeFetch(const SmSpec& spec);

  static constexpr std::uint32_t kNothing = ~0u;
  struct Answer {
    sim::Cycle there;     // now or before: at once
    bool missed = false;  // the warp waits
  };
  // A warp that was in line `last` of kernel `code` (kNothing: it begins) goes on to `line`.
  Answer read(sim::Cycle now, std::uint64_t code, std::uint32_t line, std::uint32_t last);
  void flush();

 private:
  Answer missing(sim::Cycle now, std::uint64_t code, std::uint32_t line, bool follows);
  sim::Cycle under_way(sim::Cycle now, std::uint64_t key) const;
  bool first_of(std::uint64_t code);

  bool ahead_;  // the line behind the last one is on its way
  std::uint32_t latency_, interval_, cold_latency_;
  SmallCache lines_;
  std::vector<std::uint64_t> codes_;  // kernels that some line has come of

  // The last lines that were asked for; they come in the order of the requests.
  struct Fetch {
    std::uint64_t key;
    sim::Cycle there;
  };
  static constexpr std::uint32_t kRecent = 8;
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
  std::array<Fetch, kRecent> recent_{};
  std::uint32_t fetches_ = 0;
  sim::Cycle last_there_ = 0;
  std::uint64_t next_ = kNoKey;  // of the line behind the last one
};

}  // namespace heddle::sm
