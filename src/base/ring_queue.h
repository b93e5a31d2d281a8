// First in, first out, in storage that is allocated once: a ring of at least `capacity` places.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace heddle {

template <class T>
class RingQueue {
 public:
  explicit RingQueue(std::uint32_t capacity)
      : places_(std::bit_ceil(capacity)),
        mask_(static_cast<std::uint32_t>(places_.size() - 1)),
        capacity_(capacity) {}

  bool empty() const { return head_ == tail_; }
  bool full() const { return size() == capacity_; }
  std::uint32_t size() const { return tail_ - head_; }
  std::uint32_t room() const { return capacity_ - size(); }
  std::uint32_t capacity() const { return capacity_; }

  const T& front() const {
    assert(!empty());
    return places_[head_ & mask_];
  }
  T& front() {
    assert(!empty());
    return places_[head_ & mask_];
  }
  // The i-th from the front, which is the 0th.
  const T& operator[](std::uint32_t i) const {
    assert(i < size());
    return places_[(head_ + i) & mask_];
  }
  void pop() {
    assert(!empty());
    ++head_;
  }
  void push(const T& value) { push() = value; }
  // A new last element, to be written by the caller: it holds what lay there before.
  T& push() {
    assert(!full());
    return places_[tail_++ & mask_];
  }

  // Makes the capacity at least `count`; references to elements end.
  void reserve(std::uint32_t count) {
    if (count > capacity_) grow(count);
  }

 private:
  void grow(std::uint32_t count) {
    std::vector<T> larger(std::bit_ceil(count));
    const auto mask = static_cast<std::uint32_t>(larger.size() - 1);
    for (std::uint32_t i = head_; i != tail_; ++i) larger[i & mask] = places_[i & mask_];
    places_.swap(larger);
    mask_ = mask;
    capacity_ = mask + 1;
  }

  std::vector<T> places_;
  std::uint32_t mask_, capacity_;
  std::uint32_t head_ = 0, tail_ = 0;
};

}  // namespace heddle
