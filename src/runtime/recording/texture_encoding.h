// A texture as numbers, for recordings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/texture/texture.h"

namespace heddle::runtime {

std::vector<std::uint64_t> encode_texture(const exec::Texture& texture);
// None when the numbers are not those of a texture.
std::optional<exec::Texture> decode_texture(std::span<const std::uint64_t> words);

}  // namespace heddle::runtime
