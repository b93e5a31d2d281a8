#include "exec/texture/texture.h"

#include <algorithm>

#include "base/align.h"

namespace heddle::exec {
namespace {

// Handles look like no address of the device, so that a mix-up is noticed.
constexpr std::uint64_t kHandleBase = 0x7e00'0000'0000'0000;

}  // namespace

TexelBox array_box(mem::Address address, std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                   std::uint32_t texel_bytes) {
  TexelBox b{address, width, height, depth, 0, 0};
  b.pitch = align_up(std::uint64_t{width} * texel_bytes, kRowAlignment);
  b.slice = b.pitch * height;
  return b;
}

std::uint64_t box_bytes(const TexelBox& box) {
  return box.slice * box.depth;
}

TexelBox next_level(const TexelBox& box, std::uint32_t texel_bytes, bool keep_depth) {
  const auto half = [](std::uint32_t n) { return std::max(1u, n / 2); };
  return array_box(box.address + align_up(box_bytes(box), kLevelAlignment), half(box.width), half(box.height),
                   keep_depth ? box.depth : half(box.depth), texel_bytes);
}

TexelBox mip_level(const Texture& t, std::uint32_t level) {
  TexelBox b{t.address, t.width, t.height, t.depth, t.pitch, t.slice};
  for (; level != 0; --level) b = next_level(b, t.texel_bytes(), t.layered || t.cube);
  return b;
}

std::uint64_t TextureTable::create(const Texture& texture) {
  for (std::size_t i = 0; i < textures_.size(); ++i)
    if (textures_[i].width == 0) {
      textures_[i] = texture;
      return kHandleBase + i;
    }
  textures_.push_back(texture);
  return kHandleBase + textures_.size() - 1;
}

void TextureTable::destroy(std::uint64_t handle) {
  if (find(handle) != nullptr) textures_[handle - kHandleBase].width = 0;
}

const Texture* TextureTable::find(std::uint64_t handle) const {
  const std::uint64_t i = handle - kHandleBase;
  return i < textures_.size() && textures_[i].width != 0 ? &textures_[i] : nullptr;
}

}  // namespace heddle::exec
