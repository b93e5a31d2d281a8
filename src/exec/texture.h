// Texture objects: how tex.1d and tex.2d find and filter texels.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/device_memory.h"

namespace heddle::exec {

enum class TexelFormat : std::uint8_t { Unsigned, Signed, Float };
enum class TexAddress : std::uint8_t { Wrap, Clamp, Mirror, Border };
enum class TexFilter : std::uint8_t { Point, Linear };

struct Texture {
  mem::Address address = 0;  // of the first texel, in device memory
  std::uint32_t width = 0;   // texels
  std::uint32_t height = 1;
  std::uint64_t pitch = 0;  // bytes from row to row
  TexelFormat format = TexelFormat::Float;
  std::uint8_t channel_bits = 32;  // 8, 16 or 32
  std::uint8_t channels = 1;       // 1, 2 or 4
  bool normalized_coordinates = false;
  bool normalized_values = false;  // integers read as floats in [0, 1] or [-1, 1]
  TexFilter filter = TexFilter::Point;
  TexAddress address_u = TexAddress::Clamp;
  TexAddress address_v = TexAddress::Clamp;
};

class TextureTable {
 public:
  // The handle that a kernel gets as a 64-bit parameter. Never 0.
  std::uint64_t create(const Texture& texture);
  void destroy(std::uint64_t handle);
  const Texture* find(std::uint64_t handle) const;

 private:
  std::vector<Texture> textures_;  // width 0: free
};

}  // namespace heddle::exec
