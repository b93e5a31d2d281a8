// The writeback buffer (rule 10): lines that have come from the L1 with the loads that want them. One load is
// written back per cycle; while the buffer is full the L1 stalls.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/ring_queue.h"
#include "sim/time.h"
#include "techniques/warppool/inter_warp_queues.h"

namespace heddle::warppool {

class WritebackBuffer {
 public:
  explicit WritebackBuffer(const WarpPoolSpec& spec)
      : per_cycle_(spec.writebacks_per_cycle), buffer_(spec.writeback_entries) {}

  // The loads' line leaves the L1 at cycle `at`. In the order of calls among those of one kind: hits take one
  // time through the L1, fills another.
  void hit(sim::Cycle at, const Loads& loads) { arrive(hits_, at, loads); }
  void fill(sim::Cycle at, const Loads& loads) { arrive(fills_, at, loads); }

  bool full() const { return buffer_.full(); }
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
      RingQueue<Arrival>& from = fill ? fills_ : hits_;
      Entry& entry = buffer_.push();
      entry.loads = from.front().loads;
      entry.next = 0;
      from.pop();
    }
    for (std::uint32_t n = 0; n < per_cycle_ && !buffer_.empty(); ++n) {
      Entry& head = buffer_.front();
      const Load load = head.loads.load[head.next++];
      if (head.next == head.loads.count) buffer_.pop();
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
  static void arrive(RingQueue<Arrival>& queue, sim::Cycle at, const Loads& loads) {
    queue.reserve(queue.size() + 1);
    Arrival& last = queue.push();
    last.at = at;
    last.loads = loads;
  }

  std::uint32_t per_cycle_;
  RingQueue<Arrival> hits_{4}, fills_{4};
  RingQueue<Entry> buffer_;
};

}  // namespace heddle::warppool
