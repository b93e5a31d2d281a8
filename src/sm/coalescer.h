// Intra-warp coalescing: the lanes of one warp instruction become requests for lines.
#pragma once

#include <array>
#include <cstdint>

#include "mem/request.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

// What becomes one request.
enum class Segments : std::uint8_t {
  Line,   // all lanes in a line
  BySize  // lanes in a segment of 32, 64 or 128 bytes for data of 1, 2 or more bytes (compute capability 1.3)
};

// How the lanes of an instruction are grouped.
struct Coalescing {
  Segments segments = Segments::Line;
  std::uint32_t lanes = 32;  // that are coalesced together, 16 or 32: requests are never shared across them
  bool plain() const { return segments == Segments::Line && lanes == 32; }
};

struct LineAccess {
  std::uint64_t line = 0;
  std::uint32_t words = 0;  // 4-byte words touched, modulo 32 (lines of 128 bytes)
  std::uint32_t lanes = 0;
  mem::SectorMask sectors = 0;  // touched; BySize: of the smallest quarter, half or whole segment with them
  bool partial = false;         // some bytes of these sectors are not touched
  friend bool operator==(const LineAccess&, const LineAccess&) = default;
};

struct LineList {
  // Local memory lies word by word: 32 lanes with four elements of 8 bytes, all at different offsets.
  static constexpr std::uint32_t kMost = 32 * 8;
  std::array<LineAccess, kMost> line;
  std::uint32_t count = 0;
};

// Lines in the order of the lowest lane that touches them. `line_bytes`: 32 to 256, a power of two. Lanes do
// not cross a line: accesses are aligned to their size. Segments are no larger than a line; several may lie
// in one. Textures are always fetched by lines, for all lanes together.
void coalesce(const workload::WarpAccess& access, std::uint32_t line_bytes, LineList& out,
              const Coalescing& how = {});

// Where the local memory of a warp lies: word w of lane l at base + stride w + 4 l, so that lanes using the
// same variable share a line.
struct LocalPlace {
  std::uint64_t base = 0;
  std::uint64_t stride = 128;
};
void coalesce_local(const workload::WarpAccess& access, const LocalPlace& place, std::uint32_t line_bytes,
                    LineList& out, const Coalescing& how = {});

// Requests for blocks of `block_bytes`, at most a line, become requests for the lines in which they lie: for
// all sectors of each block.
void blocks_in_lines(LineList& list, std::uint32_t block_bytes, std::uint32_t line_bytes);

// The banks of shared memory.
struct SharedBanks {
  std::uint32_t banks = 32;
  std::uint32_t lanes = 32;  // that are served together, 16 or 32; wider data: as many fewer
  std::uint32_t ports = 1;   // accesses of a bank per cycle
  bool pairs = false;        // wider data that is read: two groups at once where no two words share a bank
};
// Cycles that it needs: distinct words in the fullest bank (for atomics: lanes that meet in one) of all
// groups of lanes, divided by the ports.
std::uint32_t shared_passes(const workload::WarpAccess& access, const SharedBanks& of);

}  // namespace heddle::sm
