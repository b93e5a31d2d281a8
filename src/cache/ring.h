// A queue of at most `capacity` elements, in storage allocated once.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace heddle::cache {

template <class T>
class Ring {
 public:
  explicit Ring(std::uint32_t capacity)
      : slots_(std::bit_ceil(capacity)),
        mask_(static_cast<std::uint32_t>(slots_.size() - 1)),
        capacity_(capacity) {}
  bool empty() const { return head_ == tail_; }
  std::uint32_t size() const { return tail_ - head_; }
  std::uint32_t room() const { return capacity_ - size(); }
  void push(const T& value) {
    assert(room() != 0);
    slots_[tail_++ & mask_] = value;
  }
  const T& front() const { return slots_[head_ & mask_]; }
  T& front() { return slots_[head_ & mask_]; }
  void pop() { ++head_; }

 private:
  std::vector<T> slots_;
  std::uint32_t mask_, capacity_;
  std::uint32_t head_ = 0, tail_ = 0;
};

}  // namespace heddle::cache
