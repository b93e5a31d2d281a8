// When each element of a FIFO may leave it: all of them the same number of cycles after they came.
#pragma once

#include "base/ring_queue.h"
#include "sim/time.h"

namespace heddle::cluster {

// Pushed and popped with the FIFO. No cycles: nothing is kept.
class Delay {
 public:
  // `capacity` of the FIFO.
  Delay(std::uint32_t cycles, std::uint32_t capacity) : cycles_(cycles), over_(cycles == 0 ? 1 : capacity) {}

  void push(sim::Cycle now) {
    if (cycles_ != 0) over_.push(now + cycles_);
  }
  void pop() {
    if (cycles_ != 0) over_.pop();
  }
  // Whether the first element may leave; there must be one.
  bool over(sim::Cycle now) const { return cycles_ == 0 || over_.front() < now; }

 private:
  std::uint32_t cycles_;
  RingQueue<sim::Cycle> over_;
};

}  // namespace heddle::cluster
