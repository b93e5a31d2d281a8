#include "cache/replacement.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::cache {

WayOrder::WayOrder(std::uint32_t sets, std::uint32_t ways)
    : ways_(ways), links_(std::size_t{sets} * (ways + 1)) {
  Link* ring = links_.data();
  for (std::uint32_t s = 0; s < sets; ++s, ring += ways + 1) {
    for (std::uint32_t n = 0; n <= ways; ++n)
      ring[n] = {static_cast<std::uint16_t>(n + 1), static_cast<std::uint16_t>(n - 1)};
    ring[0].before = static_cast<std::uint16_t>(ways);
    ring[ways].next = 0;
  }
}

namespace {

// First in, first out: uses do not matter.
class Fifo final : public Replacement {
 public:
  Fifo(std::uint32_t sets, std::uint32_t ways) : order_(sets, ways) {}
  void touched(std::uint32_t, std::uint32_t) override {}
  void allocated(std::uint32_t set, std::uint32_t way) override { order_.to_back(set, way); }
  std::uint32_t victim(std::uint32_t set, std::span<const std::uint64_t> pending) override {
    return order_.first(set, pending);
  }

 private:
  WayOrder order_;
};

// Every way that is not pending with the same chance.
class Random final : public Replacement {
 public:
  explicit Random(std::uint32_t ways) : ways_(ways) {}
  void touched(std::uint32_t, std::uint32_t) override {}
  void allocated(std::uint32_t, std::uint32_t) override {}
  std::uint32_t victim(std::uint32_t, std::span<const std::uint64_t> pending) override {
    std::uint32_t free = ways_;
    for (const std::uint64_t word : pending) free -= static_cast<std::uint32_t>(__builtin_popcountll(word));
    auto skip = static_cast<std::uint32_t>((std::uint64_t{next()} * free) >> 32);
    for (std::uint32_t way = 0;; ++way) {
      if (is_set(pending, way)) continue;
      if (skip-- == 0) return way;
    }
  }

 private:
  std::uint32_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9E37'79B9'7F4A'7C15u);
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  std::uint32_t ways_;
  std::uint64_t state_ = 0;
};

// A binary tree per set; each node points to the half that was not used last. Node 1 is the root, the
// children of n are 2n and 2n + 1, leaves start at `ways`.
class PseudoLru final : public Replacement {
 public:
  PseudoLru(std::uint32_t sets, std::uint32_t ways) : ways_(ways), right_(std::size_t{sets} * ways, 0) {}
  void touched(std::uint32_t set, std::uint32_t way) override {
    std::uint8_t* tree = &right_[std::size_t{set} * ways_];
    for (std::uint32_t n = way + ways_; n > 1; n /= 2) tree[n / 2] = n % 2 == 0;
  }
  void allocated(std::uint32_t set, std::uint32_t way) override { touched(set, way); }
  std::uint32_t victim(std::uint32_t set, std::span<const std::uint64_t> pending) override {
    const std::uint8_t* tree = &right_[std::size_t{set} * ways_];
    std::uint32_t n = 1, first = 0, width = ways_;
    while (width > 1) {
      width /= 2;
      bool right = tree[n] != 0;
      // A half in which every way waits gives way to the other.
      if (all_pending(pending, first + (right ? width : 0), width)) right = !right;
      if (right) first += width;
      n = 2 * n + (right ? 1 : 0);
    }
    return first;
  }

 private:
  static bool all_pending(std::span<const std::uint64_t> pending, std::uint32_t first, std::uint32_t width) {
    if (width < 64) {
      const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << (first % 64);
      return (pending[first / 64] & mask) == mask;
    }
    for (std::uint32_t word = first / 64; word < (first + width) / 64; ++word) {
      if (~pending[word] != 0) return false;
    }
    return true;
  }
  std::uint32_t ways_;
  std::vector<std::uint8_t> right_;
};

}  // namespace

const std::vector<config::NamedChoice>& replacement_names() {
  static const std::vector<config::NamedChoice> names = {
      {"lru", "the line unused for longest"},
      {"fifo", "the line allocated first"},
      {"random", "any line, from a generator of fixed seed"},
      {"pseudo_lru", "a binary tree points away from recent uses; ways a power of two"}};
  return names;
}

std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t sets, std::uint32_t ways) {
  if (name == "lru") return std::make_unique<Lru>(sets, ways);
  if (name == "fifo") return std::make_unique<Fifo>(sets, ways);
  if (name == "random") return std::make_unique<Random>(ways);
  if (name == "pseudo_lru") return std::make_unique<PseudoLru>(sets, ways);
  throw Error(fmt::format("no replacement '{}'", name), "known: lru, fifo, random, pseudo_lru");
}

}  // namespace heddle::cache
