// What travels between the SMs and memory.
//
// A request asks for sectors of one line; the reply is the same message with `reply` set. Every level that
// forwards a request puts its own token into it and gets that token back with the reply.
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace heddle::mem {

enum class Op : std::uint8_t { Read, Write, Atomic };  // Atomic: executed at L2; old values travel back
enum class Space : std::uint8_t { Global, Local, Texture };

inline constexpr std::uint32_t kNoToken = ~0u;
inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kMaxSectors = 8;  // of a line: 256 bytes

using SectorMask = std::uint8_t;

struct Request {
  std::uint64_t line = 0;          // address of the line's first byte
  sim::Cycle born = 0;             // when the SM made it: for latencies
  std::uint32_t token = kNoToken;  // of the level that sent it; comes back in the reply
  std::uint32_t words = 0;         // 4-byte words of the line that lanes touch (Atomic: the lanes)
  std::uint16_t sm = 0;            // whose reply it is: an SM's; below the L1s, the L1 of this number's
  std::uint16_t owner = 0;         // Atomic: the SM that keeps operands and results
  std::uint16_t payload = 0;       // Atomic: where it does
  std::uint16_t cluster = 0;       // the port that it passes: set there
  std::uint16_t slice = 0;         // L2 slice, GPU-wide
  Op op = Op::Read;
  Space space = Space::Global;
  SectorMask sectors = 0xf;        // wanted or written
  std::uint8_t ready_warps = 0;    // of its SM when it left the L1: where somebody asks for it
  std::uint8_t part = 0;           // of its SM's L1, where that has several (l1.parts)
  bool partial_write : 1 = false;  // Write: not all bytes of the sectors
  bool reply : 1 = false;
  bool recorded : 1 = false;  // a merge table on the way holds an entry for it
  bool no_l1 : 1 = false;     // passes the L1 by (.cg, .cv, volatile)
  bool prefetch : 1 = false;  // a cache's prefetcher made it: no warp waits
  bool hit : 1 = false;       // reply of an L1 that stands apart from its SM: it was a hit there
  bool joined : 1 = false;    // likewise: its data were under way when it came
  bool posted : 1 = false;    // a write that nobody answers below the L1s
};
static_assert(sizeof(Request) == 40);

// Loads from global memory, prefetches of it among them: what the funnel and the meters of locality count.
// Holds for replies as well.
constexpr bool is_global_read(const Request& r) {
  return r.op == Op::Read && r.space == Space::Global;
}

// Bytes of a packet: a header and, where data travel, whole sectors.
constexpr std::uint32_t sector_count(SectorMask m) {
  return static_cast<std::uint32_t>(__builtin_popcount(m));
}
constexpr std::uint32_t data_bytes(const Request& r) {
  const bool carries = r.op == Op::Atomic || (r.op == Op::Read) == r.reply;
  return carries ? sector_count(r.sectors) * kSectorBytes : 0;
}

}  // namespace heddle::mem
