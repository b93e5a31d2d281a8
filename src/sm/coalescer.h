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
// in one. Textures are always fetched by lines.
void coalesce(const workload::WarpAccess& access, std::uint32_t line_bytes, LineList& out,
              Segments segments = Segments::Line);

// Local memory: word w of lane l lies at 128 w + 4 l, so that lanes using the same variable share a line.
void coalesce_local(const workload::WarpAccess& access, std::uint64_t base, std::uint32_t line_bytes,
                    LineList& out, Segments segments = Segments::Line);

// Cycles that shared memory needs: distinct words in the fullest bank (for atomics: lanes that meet in one).
std::uint32_t shared_passes(const workload::WarpAccess& access, std::uint32_t banks);

}  // namespace heddle::sm
