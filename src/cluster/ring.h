// A first-in-first-out buffer of fixed capacity.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace heddle::cluster {

template <class T>
class Ring {
 public:
  explicit Ring(std::uint32_t capacity)
      : places_(std::bit_ceil(capacity)),
        mask_(static_cast<std::uint32_t>(places_.size()) - 1),
        capacity_(capacity) {}

  bool empty() const { return head_ == tail_; }
  bool full() const { return tail_ - head_ == capacity_; }
  std::uint32_t size() const { return tail_ - head_; }
  std::uint32_t capacity() const { return capacity_; }
  const T& front() const { return places_[head_ & mask_]; }
  void push(const T& value) {
    assert(!full());
    places_[tail_++ & mask_] = value;
  }
  void pop() {
    assert(!empty());
    ++head_;
  }

 private:
  std::vector<T> places_;
  std::uint32_t mask_, capacity_;
  std::uint32_t head_ = 0, tail_ = 0;
};

}  // namespace heddle::cluster
