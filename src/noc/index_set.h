// A set of small numbers as a bit mask of any length.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::noc {

class IndexSet {
 public:
  explicit IndexSet(std::size_t most = 0) : words_((most + 63) / 64) {}

  void set(std::uint32_t i) { words_[i / 64] |= bit(i); }
  void reset(std::uint32_t i) { words_[i / 64] &= ~bit(i); }
  bool has(std::uint32_t i) const { return (words_[i / 64] & bit(i)) != 0; }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }
  bool any() const {
    for (const std::uint64_t w : words_)
      if (w != 0) return true;
    return false;
  }
  // Where a channel announces member `i` (sim/channel.h).
  std::uint64_t& word(std::uint32_t i) { return words_[i / 64]; }

  // Calls f for each member in ascending order. f may change the set: members of a word are those it had
  // when its turn came.
  template <class F>
  void each(F&& f) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      for (std::uint64_t m = words_[k]; m != 0; m &= m - 1)
        f(static_cast<std::uint32_t>(k * 64) + static_cast<std::uint32_t>(std::countr_zero(m)));
  }

 private:
  static constexpr std::uint64_t bit(std::uint32_t i) { return std::uint64_t{1} << (i % 64); }
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::noc
