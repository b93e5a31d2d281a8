// What could have been merged at one place: requests for a key (a line, a DRAM row) that was asked for there
// at most `window` cycles before, or was still without its answer. Requests that really were merged are among
// them: it is the most that a mechanism of this reach can save, whatever else stands there.
#pragma once

#include <cstdint>

#include "mem/recent_keys.h"
#include "stats/visitor.h"

namespace heddle::mem {

struct PotentialStats {
  std::uint64_t requests = 0, could_merge = 0;
  PotentialStats& operator+=(const PotentialStats& other) {
    requests += other.requests;
    could_merge += other.could_merge;
    return *this;
  }
};

// The same as a group of statistics, with what is counted where.
struct PotentialLevel : PotentialStats {
  PotentialLevel() = default;
  PotentialLevel(const char* counted, const char* place) : unit(counted), where(place) {}
  const char* unit = "requests";
  const char* where = "";  // "that SMs sent to their L1"
  void statistics(stats::Visitor& v);
};

class PotentialMeter {
 public:
  explicit PotentialMeter(sim::Cycle window) : keys_(window) {}

  // A request that stands for `units` of what is counted (bursts of a transfer); all but the first could
  // always have gone together. `pending`: answer() will follow. Returns whether the key was known.
  bool request(sim::Cycle now, std::uint64_t key, bool pending, std::uint32_t units = 1) {
    Keys::Entry e = keys_.find(now, key);
    const bool known = e != Keys::kNone;
    if (known)
      keys_.touch(e, now);
    else
      e = keys_.add(now, key);
    if (pending) keys_.sent(e);
    stats_.requests += units;
    stats_.could_merge += units - (known ? 0 : 1);
    return known;
  }
  // A request whose key was not known did merge: with what is no request of this level.
  void merged() { ++stats_.could_merge; }
  // What is no request of this level is under way there, so that requests could join it; answer() will
  // follow.
  void under_way(sim::Cycle now, std::uint64_t key) {
    Keys::Entry e = keys_.find(now, key);
    if (e == Keys::kNone) e = keys_.add(now, key);
    keys_.sent(e);
  }
  void answer(std::uint64_t key) { keys_.answered(key); }

  // What was asked for is remembered: time goes on between kernels.
  void clear_statistics() { stats_ = {}; }
  const PotentialStats& statistics() const { return stats_; }
  std::uint32_t remembered() const { return keys_.used(); }

 private:
  struct Nothing {};
  using Keys = RecentKeys<Nothing>;
  Keys keys_;
  PotentialStats stats_;
};

}  // namespace heddle::mem
