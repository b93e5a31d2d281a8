// The memory instructions of an SM in order: parts of all spaces in one queue. Shared and constant memory
// take their passes, everything else leaves as line requests; what stands behind a blocked request waits,
// whatever its space. This is the load front `in_order`.
//
// With sm.banked_data, instructions with line requests take their passes over the banks of the L1's data as
// well: the last request leaves in the last of them, and one instruction begins per cycle.
#pragma once

#include <cstdint>
#include <string>

#include "base/ring_queue.h"
#include "mem/request.h"
#include "sm/l1_sender.h"

namespace heddle::sm {

class InOrderPipe {
 public:
  // `limit`: instructions that wait.
  InOrderPipe(std::uint32_t limit, bool banked, MemoryRecords& records, L1Sender& l1, SmStats& stats)
      : limit_(limit),
        banked_(banked),
        records_(records),
        l1_(l1),
        stats_(stats),
        // A generic access may have several parts, so there is room for more than the queue's limit. Most
        // touch few lines: room for the worst of them would never be used.
        queue_(limit + 8),
        requests_(queue_.capacity() * 32) {}

  bool full() const { return queue_.size() >= limit_; }
  bool empty() const { return queue_.empty(); }
  std::uint32_t size() const { return queue_.size(); }

  // `passes` cycles of shared or constant memory, the data there `latency` after the first.
  void add_passes(unsigned warp, std::uint32_t record, std::uint32_t passes, std::uint32_t latency) {
    queue_.push() = {static_cast<std::uint8_t>(warp), static_cast<std::uint16_t>(passes), record, 0, latency};
  }
  // `count` requests, to be written by add_request(); a part of `record` is done when the last has left.
  // `passes`: cycles of the L1's data, where its banks are looked at.
  void add_requests(unsigned warp, std::uint32_t count, std::uint32_t passes,
                    std::uint32_t record = MemoryRecords::kNone) {
    queue_.push() = {static_cast<std::uint8_t>(warp), static_cast<std::uint16_t>(passes), record, count, 0};
    requests_.reserve(requests_.size() + count);
  }
  mem::Request& add_request() { return requests_.push(); }

  // Up to `lines` requests leave in a cycle, or one part of shared or constant memory begins.
  void step(sim::Cycle now, std::uint32_t lines) {
    for (std::uint32_t n = 0; n < lines; ++n) {
      if (!waiting(now)) return;
      if (queue_.front().requests == 0) return begin_passes(now);
      if (banked_ && data_busy(now)) return;
      if (!send(now)) return;
      if (banked_ && ended_at_ == now) return;
    }
  }
  // A cycle in which another has the way to the L1.
  void step_without_port(sim::Cycle now) {
    if (waiting(now) && queue_.front().requests == 0) begin_passes(now);
  }
  bool waiting(sim::Cycle now) const {
    return !queue_.empty() && busy_until_ <= now && blocked_until_ <= now;
  }
  // Parts that have requests to send, for who looks on.
  std::uint32_t waiting_requests() const {
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < queue_.size(); ++i) n += queue_[i].requests != 0;
    return n;
  }
  // Of the passes that have begun: their last cycle.
  sim::Cycle passes_end() const { return busy_until_ == 0 ? 0 : busy_until_ - 1; }
  bool wants_port(sim::Cycle now) const { return waiting(now) && queue_.front().requests != 0; }
  sim::Cycle next(sim::Cycle now) const {
    return queue_.empty() ? sim::kNever : std::max({now + 1, busy_until_, blocked_until_});
  }
  void unblock() { blocked_until_ = 0; }
  std::string waits() const;

 private:
  struct Part {
    std::uint8_t warp = 0;
    std::uint16_t passes = 0;
    std::uint32_t record = MemoryRecords::kNone;  // of which it is a part
    std::uint32_t requests = 0;                   // left to send; 0: passes alone
    std::uint32_t latency = 0;
  };
  void begin_passes(sim::Cycle now) {
    const Part head = queue_.front();
    busy_until_ = now + head.passes;
    queue_.pop();
    if (head.record != MemoryRecords::kNone)
      records_.part_done(now, head.record, now + head.latency + head.passes - 1);
  }
  // Whether the head's last request waits for its data's last pass.
  bool data_busy(sim::Cycle now) {
    const Part& head = queue_.front();
    if (!begun_) {
      begun_ = true;
      data_until_ = now + head.passes - 1;
    }
    if (head.requests != 1 || data_until_ <= now) return false;
    busy_until_ = data_until_;
    return true;
  }
  // One line request to the L1; false when it is blocked.
  bool send(sim::Cycle now) {
    if (l1_.send(now, requests_.front()).outcome == mem::L1Port::Outcome::Blocked) {
      ++stats_.lsu_blocked_cycles;
      blocked_until_ = l1_.retry_at(now);
      return false;
    }
    requests_.pop();
    if (--queue_.front().requests == 0) {
      const std::uint32_t record = queue_.front().record;
      queue_.pop();
      begun_ = false;
      ended_at_ = now;
      if (record != MemoryRecords::kNone) [[unlikely]]
        records_.part_done(now, record, now + 1);
    }
    return true;
  }

  std::uint32_t limit_;
  bool banked_;
  bool begun_ = false;  // the head has sent a request, or waits for its data
  MemoryRecords& records_;
  L1Sender& l1_;
  SmStats& stats_;
  RingQueue<Part> queue_;
  RingQueue<mem::Request> requests_;
  sim::Cycle busy_until_ = 0, blocked_until_ = 0;
  sim::Cycle data_until_ = 0, ended_at_ = sim::kNever;  // of the head's passes; of the last requests
};

}  // namespace heddle::sm
