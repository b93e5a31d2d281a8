// An open-addressed index from keys to small numbers. The keys themselves stay with the caller, who answers
// for number n what its hash is (its upper bits decide the place) and whether it is the one looked for.
// Linear probing; erasing shifts what follows back, so no tombstones pile up.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace heddle::mem {

class ProbeIndex {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  ProbeIndex() = default;
  // Holds up to `most` numbers, at most half full, so that chains stay short.
  explicit ProbeIndex(std::uint32_t most)
      : cells_(std::bit_ceil(std::size_t{2} * (most < 2 ? 2 : most)), kNone),
        mask_(cells_.size() - 1),
        shift_(static_cast<std::uint32_t>(64 - std::countr_zero(cells_.size()))) {}

  template <class Same>
  std::uint32_t find(std::uint64_t hash, Same&& same) const {
    for (std::size_t at = home(hash);; at = (at + 1) & mask_) {
      const std::uint32_t n = cells_[at];
      if (n == kNone || same(n)) return n;
    }
  }
  void insert(std::uint64_t hash, std::uint32_t n) {
    std::size_t at = home(hash);
    while (cells_[at] != kNone) at = (at + 1) & mask_;
    cells_[at] = n;
  }
  // `hash_of(n)` of every number held.
  template <class HashOf>
  void erase(std::uint64_t hash, std::uint32_t n, HashOf&& hash_of) {
    std::size_t hole = home(hash);
    while (cells_[hole] != n) {
      assert(cells_[hole] != kNone);
      hole = (hole + 1) & mask_;
    }
    for (std::size_t at = (hole + 1) & mask_; cells_[at] != kNone; at = (at + 1) & mask_) {
      // What lies at `at` may move into the hole unless its home is after the hole.
      const std::size_t from_home = (at - home(hash_of(cells_[at]))) & mask_;
      if (from_home < ((at - hole) & mask_)) continue;
      cells_[hole] = cells_[at];
      hole = at;
    }
    cells_[hole] = kNone;
  }
  void clear() { cells_.assign(cells_.size(), kNone); }

 private:
  std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> shift_); }

  std::vector<std::uint32_t> cells_;
  std::size_t mask_ = 0;
  std::uint32_t shift_ = 63;
};

// Spreads keys by all their bits (Fibonacci hashing of both halves); the upper bits of the result are the
// good ones.
struct MixHash {
  std::uint64_t operator()(std::uint64_t key) const { return (key ^ (key >> 32)) * 0x9E37'79B9'7F4A'7C15u; }
};

}  // namespace heddle::mem
