// Memory instructions in the order of their issue with the line requests that they still have to make: what
// stands at the entry of load fronts that take instructions in order.
#pragma once

#include <array>
#include <cstdint>

#include "base/ring_queue.h"
#include "sm/load_front.h"

namespace heddle::sm {

class InstructionQueue {
 public:
  struct Instruction {
    std::uint8_t warp = 0;
    mem::Op op = mem::Op::Read;
    std::uint32_t lines = 0;  // left
    sim::Cycle at = 0;        // accepted
  };
  // `limit`: how many make it full. An access may come to a full queue (sm/load_front.h).
  explicit InstructionQueue(std::uint32_t limit)
      : limit_(limit), instructions_(limit + 8), lines_(32 * (limit + 8)) {}

  void add(sim::Cycle now, std::uint16_t sm, const FrontAccess& a) {
    const auto count = static_cast<std::uint32_t>(a.lines.size());
    instructions_.reserve(instructions_.size() + 1);
    instructions_.push({static_cast<std::uint8_t>(a.warp), a.op, count, now});
    lines_.reserve(lines_.size() + count);
    for (const LineAccess& l : a.lines) lines_.push(a.request(now, sm, l));
  }
  bool full() const { return instructions_.size() >= limit_; }
  bool empty() const { return instructions_.empty(); }
  std::uint32_t size() const { return instructions_.size(); }
  const Instruction& first() const { return instructions_.front(); }
  const mem::Request& line() const { return lines_.front(); }
  // The first line is done. True: with it the instruction.
  bool pop_line() {
    lines_.pop();
    if (--instructions_.front().lines != 0) return false;
    instructions_.pop();
    return true;
  }

 private:
  std::uint32_t limit_;
  RingQueue<Instruction> instructions_;
  RingQueue<mem::Request> lines_;
};

// Which warps have line requests that have not reached the L1.
class OpenRequests {
 public:
  void add(unsigned warp, std::uint32_t count) {
    open_[warp] += count;
    if (count != 0) warps_ |= bit(warp);
  }
  void remove(unsigned warp) {
    if (--open_[warp] == 0) warps_ &= ~bit(warp);
  }
  WarpMask warps() const { return warps_; }

 private:
  std::array<std::uint32_t, kMaxWarps> open_{};
  WarpMask warps_ = 0;
};

}  // namespace heddle::sm
