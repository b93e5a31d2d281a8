// Things that happen a fixed number of ticks after they were begun: first in, first out.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace heddle::noc {

template <class T>
class DelayLine {
 public:
  explicit DelayLine(std::uint32_t delay) : delay_(delay), ring_(16) {}

  // At ticks that never decrease.
  void push(std::uint64_t now, const T& what) {
    assert(head_ == tail_ || ring_[(tail_ - 1) & (ring_.size() - 1)].at <= now + delay_);
    if (tail_ - head_ == ring_.size()) [[unlikely]]
      grow();
    ring_[tail_++ & (ring_.size() - 1)] = {now + delay_, what};
  }
  // Calls f for all that are due, in the order in which they were begun; f may push.
  template <class F>
  void due(std::uint64_t now, F&& f) {
    while (head_ != tail_) {
      const Entry& e = ring_[head_ & (ring_.size() - 1)];
      if (e.at > now) return;
      const T what = e.what;
      ++head_;
      f(what);
    }
  }
  // The tick of the first; kNever when there is none.
  std::uint64_t next() const { return head_ == tail_ ? sim::kNever : ring_[head_ & (ring_.size() - 1)].at; }
  std::uint32_t delay() const { return delay_; }

 private:
  struct Entry {
    std::uint64_t at = 0;
    T what{};
  };
  [[gnu::noinline]] void grow() {
    std::vector<Entry> larger(2 * ring_.size());
    for (std::uint64_t k = head_; k != tail_; ++k)
      larger[k & (larger.size() - 1)] = ring_[k & (ring_.size() - 1)];
    ring_.swap(larger);
  }

  std::uint32_t delay_;
  std::vector<Entry> ring_;  // a power of two
  std::uint64_t head_ = 0, tail_ = 0;
};

}  // namespace heddle::noc
