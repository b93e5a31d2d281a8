// Bulk copies of an SM that wait to be sent: ranges of bytes, cut into line requests one after another, in
// the order in which they were issued. They do not stand in the load/store unit's queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "mem/request.h"
#include "sim/time.h"

namespace heddle::sm {

class BulkCopies {
 public:
  struct Range {
    std::uint64_t at = 0, end = 0;
    std::uint32_t record = 0;
    sim::Cycle born = 0;
    mem::Op op = mem::Op::Read;
    bool shared = false;  // within shared memory: no request, a cycle per line
  };
  void add(const Range& r) { ranges_.push_back(r); }
  // A copy whose last byte lands at cycle `at`, which is known.
  void land(sim::Cycle at, std::uint32_t record) { landing_.push_back({at, record}); }

  bool idle() const { return ranges_.empty() && landing_.empty(); }
  bool can_send(sim::Cycle now) const { return !ranges_.empty() && blocked_until_ <= now; }
  const Range& head() const { return ranges_.front(); }
  mem::Request request(std::uint32_t line_bytes) const;
  // The head's next line has been sent. True when it was the last of the range.
  bool sent(std::uint32_t line_bytes);
  void block(sim::Cycle until) { blocked_until_ = until; }
  void unblock() { blocked_until_ = 0; }

  // Calls f(record) for what has landed by now.
  template <class F>
  void landed(sim::Cycle now, F&& f) {
    for (std::size_t i = 0; i < landing_.size();) {
      if (landing_[i].at > now) {
        ++i;
        continue;
      }
      const std::uint32_t record = landing_[i].record;
      landing_.erase(landing_.begin() + static_cast<std::ptrdiff_t>(i));
      f(record);
    }
  }
  sim::Cycle next(sim::Cycle now) const;

 private:
  struct Landing {
    sim::Cycle at = 0;
    std::uint32_t record = 0;
  };
  std::deque<Range> ranges_;
  std::deque<Landing> landing_;
  sim::Cycle blocked_until_ = 0;
};

}  // namespace heddle::sm
