// The writeback buffer (rule 10): lines that have come from the L1 with the loads that want them. One load is
// written back per cycle; while the buffer is full the L1 stalls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "sim/time.h"
#include "techniques/warppool/inter_warp_queues.h"

namespace heddle::warppool {

class WritebackBuffer {
 public:
  explicit WritebackBuffer(const WarpPoolSpec& spec)
      : entries_(spec.writeback_entries), per_cycle_(spec.writebacks_per_cycle) {}

  // The loads' line leaves the L1 at cycle `at`. In the order of calls among those of one kind: hits take one
  // time through the L1, fills another.
  void hit(sim::Cycle at, const Loads& loads) { hits_.push_back({at, loads}); }
  void fill(sim::Cycle at, const Loads& loads) { fills_.push_back({at, loads}); }

  bool full() const { return buffer_.size() >= entries_; }
  bool idle() const { return buffer_.empty() && hits_.empty() && fills_.empty(); }

  // A cycle: takes what has come, as far as there is room, and writes back what its rate allows. Returns
  // whether it became full.
  template <class F>
  bool step(sim::Cycle now, F&& written) {
    const bool was_full = full();
    while (!full()) {
      const bool fill = !fills_.empty() && fills_.front().at <= now;
      const bool hit = !hits_.empty() && hits_.front().at <= now;
      if (!fill && !hit) break;
      std::deque<Arrival>& from = fill ? fills_ : hits_;
      buffer_.push_back({from.front().loads, 0});
      from.pop_front();
    }
    for (std::uint32_t n = 0; n < per_cycle_ && !buffer_.empty(); ++n) {
      Entry& head = buffer_.front();
      const Load load = head.loads.load[head.next++];
      if (head.next == head.loads.count) buffer_.pop_front();
      written(load);
    }
    return full() && !was_full;
  }
  sim::Cycle next(sim::Cycle now) const {
    if (!buffer_.empty()) return now + 1;
    sim::Cycle at = sim::kNever;
    if (!hits_.empty()) at = std::min(at, hits_.front().at);
    if (!fills_.empty()) at = std::min(at, fills_.front().at);
    return at == sim::kNever ? at : std::max(now + 1, at);
  }

 private:
  struct Arrival {
    sim::Cycle at = 0;
    Loads loads;
  };
  struct Entry {
    Loads loads;
    std::uint32_t next = 0;
  };
  std::uint32_t entries_, per_cycle_;
  std::deque<Arrival> hits_, fills_;
  std::deque<Entry> buffer_;
};

}  // namespace heddle::warppool
