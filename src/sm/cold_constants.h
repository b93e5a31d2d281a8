// Constants that a kernel reads for the first time on an SM: they come from L2 or memory in pieces of 256
// bytes, and who reads the second half of a piece has the next one fetched
// (validation/data/h200_cold_code.csv).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace heddle::sm {

class ColdConstants {
 public:
  static constexpr std::uint32_t kPiece = 256;

  // 0: they are always near.
  explicit ColdConstants(std::uint32_t latency) : latency_(latency) {}
  // When what lies at `address` is near, for who does not find it in a cache; `now` or before: it is.
  sim::Cycle read(sim::Cycle now, std::uint64_t address) {
    if (latency_ == 0) return now;
    const sim::Cycle there = fetch(now, address / kPiece);
    if (address % kPiece >= kPiece / 2) fetch(now, address / kPiece + 1);
    return there;
  }
  // The same for who finds it in a cache, where it may be under way.
  sim::Cycle there(sim::Cycle now, std::uint64_t address) {
    return last_there_ <= now ? now : read(now, address);
  }
  void flush() { near_.clear(); }

 private:
  struct Piece {
    std::uint64_t number;
    sim::Cycle there;
  };
  sim::Cycle fetch(sim::Cycle now, std::uint64_t piece) {
    const auto at =
        std::find_if(near_.begin(), near_.end(), [&](const Piece& p) { return p.number == piece; });
    if (at != near_.end()) return at->there;
    last_there_ = now + latency_;
    near_.push_back({piece, last_there_});
    return last_there_;
  }

  std::uint32_t latency_;
  std::vector<Piece> near_;
  sim::Cycle last_there_ = 0;
};

}  // namespace heddle::sm
