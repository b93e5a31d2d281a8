// What a texture gives for a coordinate (CUDA programming guide, texture fetching).
#pragma once

#include <array>
#include <cstdint>

#include "exec/texture/texel_reader.h"
#include "ptx/ir/instr.h"

namespace heddle::exec {

// One lane's coordinates.
struct TexturePoint {
  ptx::TexGeometry geometry = ptx::TexGeometry::T2d;
  std::uint32_t layer = 0;
  std::array<float, 3> at{};
  float level = 0;
  std::array<float, 3> dx{}, dy{};  // tex.grad
  bool has_gradient = false;
};

// A result as the registers get it: integers, or float bits.
using TexelValues = std::array<std::uint32_t, 4>;

TexelValues sample_texture(TexelReader& reader, const Texture& texture, const TexturePoint& point);
// Integer coordinates: no filter; outside it reads zero.
TexelValues fetch_texel(TexelReader& reader, const Texture& texture, ptx::TexGeometry geometry,
                        std::uint32_t layer, const std::array<std::int32_t, 3>& at, std::int32_t level);
// tld4: one component of the four texels that a linear filter would take.
TexelValues gather_texels(TexelReader& reader, const Texture& texture, const TexturePoint& point,
                          unsigned component);

}  // namespace heddle::exec
