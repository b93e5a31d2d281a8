// Barrier objects in shared memory, and the bulk copies that will arrive at them.
//
// To programs an mbarrier is an opaque 64-bit word; here: bits 0-19 arrivals expected per phase, 20-39
// arrivals pending in this phase, 40-61 bytes pending (signed), 62 set by init, 63 parity of the phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/image/code.h"

namespace heddle::exec {

class Warp;

struct Mbarrier {
  static constexpr std::uint64_t kMostArrivals = (1u << 20) - 1;
  static constexpr std::int64_t kMostBytes = (1 << 20) - 1;

  std::uint64_t expected = 0, pending = 0;
  std::int64_t bytes = 0;
  bool valid = false, odd = false;

  static Mbarrier from(std::uint64_t word) {
    return {word & kMostArrivals, word >> 20 & kMostArrivals, static_cast<std::int64_t>(word << 2) >> 42,
            (word >> 62 & 1) != 0, (word >> 63) != 0};
  }
  std::uint64_t word() const {
    return expected | pending << 20 | (static_cast<std::uint64_t>(bytes) & 0x3fffff) << 40 |
           std::uint64_t{valid} << 62 | std::uint64_t{odd} << 63;
  }
  // Arrivals come, and bytes are expected (or, when negative, have come); what is wrong about it, or nullptr.
  // The next phase begins when all have arrived and all bytes have come.
  const char* advance(std::uint64_t arrivals, std::int64_t more_bytes);
};

// Stops the kernel for what a lane did with an mbarrier at instruction `pc`.
[[noreturn]] void wrong_mbarrier_use(Warp& warp, std::uint32_t pc, int lane, const char* what);

// What a lane's bulk copy tells its mbarrier when the bytes are there.
struct CopyArrival {
  std::uint32_t mbarrier = 0;  // offset in shared memory
  std::uint32_t bytes = 0;
  std::uint32_t pc = 0;
  std::uint16_t warp = 0;
  std::uint16_t lane = 0;
};
void arrive(Warp& warp, const CopyArrival& arrival);

// The bulk copies of a CTA under way, by ticket: only under timing, else copies are complete at once.
class CopyArrivals {
 public:
  void clear();
  std::uint16_t add(std::span<const CopyArrival> of_one_instruction);
  // The ticket may be used again.
  std::vector<CopyArrival> take(std::uint16_t ticket);

 private:
  std::vector<std::vector<CopyArrival>> by_ticket_;
  std::vector<std::uint16_t> free_;
};

}  // namespace heddle::exec
