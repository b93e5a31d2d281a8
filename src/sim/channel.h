// A channel carries messages from one unit to one other: in order, each `latency` cycles after it was sent.
//
// Units run whole windows on their own, perhaps on different host threads. What the writer sends in a window
// becomes visible to the reader, and what the reader takes becomes room for the writer, when the engine
// publishes the channel at the window's end. Latency is at least one window, so nothing arrives late, and
// results do not depend on which unit ran first.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace heddle::sim {

using UnitId = std::uint32_t;
inline constexpr UnitId kNoUnit = ~0u;

// What the engine does with every channel.
class ChannelBase {
 public:
  virtual ~ChannelBase() = default;

  struct Published {
    Cycle reader_from = kNever;  // the reader has a new message at this cycle
    bool writer_may_go = false;  // the writer found the channel full, and now it is not
  };
  Published publish() {
    Published p;
    if (published_ != tail_) {
      p.reader_from = first_new_;
      published_ = tail_;
      first_new_ = kNever;
    }
    if (freed_ != head_) {
      freed_ = head_;
      p.writer_may_go = refused_;
      refused_ = false;
    }
    listed_by_writer_ = listed_by_reader_ = false;
    return p;
  }
  Cycle latency() const { return latency_; }
  std::uint32_t capacity() const { return capacity_; }
  bool empty() const { return head_ == tail_; }  // nothing under way either; only between windows
  std::uint64_t sent() const { return tail_; }
  std::uint64_t taken() const { return head_; }

  // Ends of the channel, set by Engine::connect.
  UnitId writer = kNoUnit, reader = kNoUnit;
  std::vector<ChannelBase*>* writer_list = nullptr;  // where a touched channel is noted for publishing
  std::vector<ChannelBase*>* reader_list = nullptr;

 protected:
  ChannelBase(Cycle latency, std::uint32_t capacity) : latency_(latency), capacity_(capacity) {}
  void touched_by_writer() {
    if (listed_by_writer_) return;
    listed_by_writer_ = true;
    if (writer_list != nullptr) writer_list->push_back(this);
  }
  void touched_by_reader() {
    if (listed_by_reader_) return;
    listed_by_reader_ = true;
    if (reader_list != nullptr) reader_list->push_back(this);
  }

  Cycle latency_;
  std::uint32_t capacity_;
  // The writer's side.
  std::uint64_t tail_ = 0;
  Cycle first_new_ = kNever;
  mutable bool refused_ = false;
  bool listed_by_writer_ = false;
  // The reader's side.
  alignas(64) std::uint64_t head_ = 0;
  bool listed_by_reader_ = false;
  // Changed only by publish().
  alignas(64) std::uint64_t published_ = 0;
  std::uint64_t freed_ = 0;
};

template <class T>
class Channel final : public ChannelBase {
 public:
  // `capacity`: messages under way or waiting to be taken. One message per cycle needs latency + two windows.
  Channel(Cycle latency, std::uint32_t capacity)
      : ChannelBase(latency, capacity), ring_(std::bit_ceil(capacity)), mask_(ring_.size() - 1) {}

  // ---- writer -------------------------------------------------------------------------------------
  bool can_send() const {
    if (tail_ - freed_ < capacity_) return true;
    refused_ = true;
    return false;
  }
  // Sending times never decrease.
  void send(Cycle now, const T& message) {
    assert(tail_ - freed_ < capacity_);
    Slot& s = ring_[tail_ & mask_];
    s.arrival = now + latency_;
    s.message = message;
    if (first_new_ == kNever) first_new_ = s.arrival;
    ++tail_;
    touched_by_writer();
  }

  // ---- reader -------------------------------------------------------------------------------------
  bool ready(Cycle now) const { return head_ != published_ && ring_[head_ & mask_].arrival <= now; }
  // When the next message arrives; kNever when none is known.
  Cycle next_arrival() const { return head_ != published_ ? ring_[head_ & mask_].arrival : kNever; }
  const T& front() const { return ring_[head_ & mask_].message; }
  void pop() {
    ++head_;
    touched_by_reader();
  }

 private:
  struct Slot {
    Cycle arrival = 0;
    T message{};
  };
  std::vector<Slot> ring_;
  std::uint64_t mask_;
};

}  // namespace heddle::sim
