// Texture and surface objects: what tex, tld4, suld and sust find behind a handle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mem/device_memory.h"

namespace heddle::exec {

enum class TexelFormat : std::uint8_t { Unsigned, Signed, Float };
enum class TexAddress : std::uint8_t { Wrap, Clamp, Mirror, Border };
enum class TexFilter : std::uint8_t { Point, Linear };

// Texels of one level: rows of `width`, `height` of them in a slice, `depth` slices. A layer, and a face of a
// cube map, is a slice.
struct TexelBox {
  mem::Address address = 0;  // of the first texel, in device memory
  std::uint32_t width = 0, height = 1, depth = 1;
  std::uint64_t pitch = 0;  // bytes from row to row
  std::uint64_t slice = 0;  // bytes from slice to slice
};

struct Texture {
  mem::Address address = 0;  // see TexelBox
  std::uint32_t width = 0;
  std::uint32_t height = 1;
  std::uint64_t pitch = 0;
  TexelFormat format = TexelFormat::Float;
  std::uint8_t channel_bits = 32;  // 8, 16 or 32
  std::uint8_t channels = 1;       // 1, 2 or 4
  bool normalized_coordinates = false;
  bool normalized_values = false;  // integers read as floats in [0, 1] or [-1, 1]
  TexFilter filter = TexFilter::Point;
  TexAddress address_u = TexAddress::Clamp;
  TexAddress address_v = TexAddress::Clamp;
  TexAddress address_w = TexAddress::Clamp;
  std::uint32_t depth = 1;  // slices: of a volume, or layers, or six faces for each layer of cubes
  std::uint64_t slice = 0;
  bool layered = false;
  bool cube = false;
  bool surface = false;
  bool srgb = false;              // 8 bits without sign, read as floats: sRGB becomes linear
  std::array<float, 4> border{};  // what TexAddress::Border gives
  std::uint8_t levels = 1;        // of a mipmap; further ones lie behind the first as mip_level() says
  TexFilter mip_filter = TexFilter::Point;
  float mip_bias = 0, min_level = 0, max_level = 0;

  std::uint32_t texel_bytes() const { return channel_bits / 8u * channels; }
  // Whether tex gives floats.
  bool as_float() const { return format == TexelFormat::Float || normalized_values; }
};

inline constexpr std::uint64_t kRowAlignment = 32;     // of a CUDA array
inline constexpr std::uint64_t kLevelAlignment = 512;  // of the levels of a mipmapped array

// Rows and slices of a CUDA array whose memory begins at `address`.
TexelBox array_box(mem::Address address, std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                   std::uint32_t texel_bytes);
// The bytes it takes.
std::uint64_t box_bytes(const TexelBox& box);
// The box of the next level: half of each side, but layers stay, behind `box` in memory.
TexelBox next_level(const TexelBox& box, std::uint32_t texel_bytes, bool keep_depth);
TexelBox mip_level(const Texture& texture, std::uint32_t level);

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
