#include "exec/texture.h"

namespace heddle::exec {
namespace {

// Handles look like no address of the device, so that a mix-up is noticed.
constexpr std::uint64_t kHandleBase = 0x7e00'0000'0000'0000;

}  // namespace

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
