// Texels of one warp instruction: where they lie, what they hold, and which memory was touched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "exec/memory/memory_access.h"
#include "exec/texture/texture.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

struct Texel {
  std::array<std::uint32_t, 4> channel{};  // as the format has them: integers, or float bits
  bool border = false;                     // Texture::border instead
};

// Index of a texel under the addressing mode; -1: the border.
std::int64_t address_texel(std::int64_t i, std::uint32_t n, TexAddress mode);

// The sectors that lanes touch, for the timing side: a lane's first, its second, and so on.
class TexelTrace {
 public:
  TexelTrace();  // leaves the addresses as they are
  void note(unsigned lane, mem::Address a);
  void hand_to(Warp& w, std::uint32_t bytes);

 private:
  std::array<std::array<mem::Address, kLanes>, kMostParts> address_;  // valid where the mask says so
  std::array<Mask, kMostParts> mask_{};
  std::array<std::uint8_t, kLanes> sectors_{};
};

class TexelReader {
 public:
  TexelReader(Warp& w, const Code& c);

  // The texture of the lane that is read next. Throws Error for a handle of none.
  const Texture& begin(unsigned lane, std::uint64_t handle);
  // Whether somebody wants to know which memory is touched: a card reads also what counts nothing.
  bool notes_accesses() const { return trace_ || warp_.context().count_accesses; }
  // Of a texture's level; the indices are addressed in u and v, `slice` must be inside.
  Texel at(const TexelBox& box, std::int64_t x, std::int64_t y, std::uint32_t slice);
  // What lies outside of the texture.
  Texel border() const;
  // As a float, in [0, 1] or [-1, 1] for integers that are normalized.
  float value(const Texel& t, unsigned channel) const;
  // After the last lane: what the instruction touched.
  void finish();

 private:
  // The allocation that holds them; stops the kernel when there is none.
  void find_block(mem::Address a, std::uint32_t bytes);

  Warp& warp_;
  const Code& code_;
  const Texture* texture_ = nullptr;
  std::uint64_t handle_ = 0;
  unsigned lane_ = 0;
  Mask touched_ = 0;
  std::uint32_t bytes_ = 0;
  mem::Address block_begin_ = 0, block_end_ = 0;  // of the allocation touched last
  std::optional<TexelTrace> trace_;
};

}  // namespace heddle::exec
