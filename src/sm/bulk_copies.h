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

  bool idle() const { return ranges_.empty(); }
  bool can_send(sim::Cycle now) const { return !ranges_.empty() && blocked_until_ <= now; }
  const Range& head() const { return ranges_.front(); }
  mem::Request request(std::uint32_t line_bytes) const;
  // The head's next line has been sent. True when it was the last of the range.
  bool sent(std::uint32_t line_bytes);
  void block(sim::Cycle until) { blocked_until_ = until; }
  void unblock() { blocked_until_ = 0; }

  sim::Cycle next(sim::Cycle now) const {
    return ranges_.empty() ? sim::kNever : std::max(now + 1, blocked_until_);
  }

 private:
  std::deque<Range> ranges_;
  sim::Cycle blocked_until_ = 0;
};

}  // namespace heddle::sm
