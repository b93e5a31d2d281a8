// Tags of a small read-only cache (constants, instructions): four ways, least recently used. Misses are
// served by a level behind it with a fixed latency, so it needs no queues.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::sm {

class SmallCache {
 public:
  static constexpr std::uint32_t kLine = 64, kWays = 4;

  // 0 bytes: perfect.
  explicit SmallCache(std::uint64_t bytes) : sets_(bytes / kLine / kWays), tags_(sets_ * kWays, kEmpty) {
    if (bytes != 0 && sets_ == 0) {
      sets_ = 1;
      tags_.assign(kWays, kEmpty);
    }
  }
  bool perfect() const { return sets_ == 0; }
  // Whether the line is there; it is afterwards.
  bool access(std::uint64_t address) {
    if (sets_ == 0) return true;
    const std::uint64_t line = address / kLine;
    std::uint64_t* set = &tags_[line % sets_ * kWays];  // most recently used first
    std::uint32_t i = 0;
    while (i < kWays - 1 && set[i] != line) ++i;
    const bool hit = set[i] == line;
    for (; i > 0; --i) set[i] = set[i - 1];
    set[0] = line;
    return hit;
  }
  void flush() { tags_.assign(tags_.size(), kEmpty); }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  std::uint64_t sets_;
  std::vector<std::uint64_t> tags_;
};

}  // namespace heddle::sm
