// A set of small numbers (SMs, clusters) as bits: the next member from a place costs a few words, not a scan.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::cta {

class SmMask {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  void assign(std::uint32_t size, bool value) {
    size_ = size;
    words_.assign((size + 63) / 64, value ? ~std::uint64_t{0} : 0);
    if (value && size % 64 != 0) words_.back() = (std::uint64_t{1} << size % 64) - 1;
  }
  void set(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void clear(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << i % 64); }
  bool has(std::uint32_t i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }
  std::uint32_t size() const { return size_; }

  // The smallest member of [from, until), or kNone.
  std::uint32_t next(std::uint32_t from, std::uint32_t until) const {
    if (from >= until) return kNone;
    std::uint32_t word = from / 64;
    std::uint64_t bits = words_[word] & ~std::uint64_t{0} << from % 64;
    while (bits == 0) {
      if (++word * 64 >= until) return kNone;
      bits = words_[word];
    }
    const std::uint32_t found = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    return found < until ? found : kNone;
  }
  // The first member of [begin, end) at `from` or after it, going round; kNone when there is none.
  std::uint32_t next_round(std::uint32_t from, std::uint32_t begin, std::uint32_t end) const {
    const std::uint32_t ahead = next(from, end);
    return ahead != kNone ? ahead : next(begin, from);
  }

 private:
  std::uint32_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::cta
