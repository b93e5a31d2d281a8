// Slot: which line of a full set makes room.
//
// The tag store calls touched() at every use of a line that it holds, allocated() when a way gets a new line,
// and victim() only for a set without a free way that has at least one way not waiting for a fill. An
// implementation keeps its own state per set, sees no addresses, and must be deterministic: chance comes from
// its own generator with a fixed seed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "config/params.h"

namespace heddle::cache {

class Replacement {
 public:
  virtual ~Replacement() = default;
  virtual void touched(std::uint32_t set, std::uint32_t way) = 0;
  virtual void allocated(std::uint32_t set, std::uint32_t way) = 0;
  // `pending`: a bit per way of the set, 64 to a word; such ways may not be chosen.
  virtual std::uint32_t victim(std::uint32_t set, std::span<const std::uint64_t> pending) = 0;
};

inline bool is_set(std::span<const std::uint64_t> mask, std::uint32_t way) {
  return ((mask[way / 64] >> (way % 64)) & 1) != 0;
}

// The ways of every set in an order, from the first victim to the last: a ring linked by index, in which one
// more node stands between the last and the first. Moving a way needs no branch.
class WayOrder {
 public:
  WayOrder(std::uint32_t sets, std::uint32_t ways);
  void to_back(std::uint32_t set, std::uint32_t way) {
    Link* ring = &links_[std::size_t{set} * (ways_ + 1)];
    const Link l = ring[way];
    ring[l.before].next = l.next;
    ring[l.next].before = l.before;
    const std::uint16_t last = ring[ways_].before;
    ring[last].next = static_cast<std::uint16_t>(way);
    ring[way] = {static_cast<std::uint16_t>(ways_), last};
    ring[ways_].before = static_cast<std::uint16_t>(way);
  }
  // The first that is not pending. Pending ways were used last as a rule, so few are skipped.
  std::uint32_t first(std::uint32_t set, std::span<const std::uint64_t> pending) const {
    const Link* ring = &links_[std::size_t{set} * (ways_ + 1)];
    std::uint32_t way = ring[ways_].next;
    while (is_set(pending, way)) way = ring[way].next;
    return way;
  }

 private:
  struct Link {
    std::uint16_t next, before;
  };
  std::uint32_t ways_;
  std::vector<Link> links_;
};

// Least recently used. Not behind the virtual call: the tag store calls it directly.
class Lru final : public Replacement {
 public:
  Lru(std::uint32_t sets, std::uint32_t ways) : order_(sets, ways) {}
  void touched(std::uint32_t set, std::uint32_t way) override { order_.to_back(set, way); }
  void allocated(std::uint32_t set, std::uint32_t way) override { order_.to_back(set, way); }
  std::uint32_t victim(std::uint32_t set, std::span<const std::uint64_t> pending) override {
    return order_.first(set, pending);
  }

 private:
  WayOrder order_;
};

// lru, fifo, random, pseudo_lru.
const std::vector<config::NamedChoice>& replacement_names();
// Throws Error for an unknown name. pseudo_lru needs a power of two of ways.
std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t sets, std::uint32_t ways);

}  // namespace heddle::cache
