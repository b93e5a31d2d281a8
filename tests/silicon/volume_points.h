// Volumes, cube maps and mipmaps: what record_volumes.cu samples on a card and volume_test.cc samples here.
#pragma once

#include <cstdint>
#include <vector>

namespace silicon {

constexpr unsigned kVolumeSamples = 512;

enum VolumeKind { kVolume, kCube, kMipmap };

struct VolumeCase {
  int kind;
  int mode;  // wrap, clamp, mirror, border
  int linear;
  int mip_linear;
  int normalized;  // coordinates
};

constexpr unsigned kVolumeSides[] = {16, 12, 10};
constexpr unsigned kCubeSide = 16, kMipSide = 32, kMipLevels = 6;

inline std::vector<VolumeCase> volume_cases() {
  std::vector<VolumeCase> all;
  for (int linear = 0; linear < 2; ++linear) {
    for (int mode = 0; mode < 4; ++mode)
      for (int normalized = 0; normalized < 2; ++normalized)
        if (normalized != 0 || mode == 1 || mode == 3) all.push_back({kVolume, mode, linear, 0, normalized});
    all.push_back({kCube, 1, linear, 0, 1});
    for (int mip_linear = 0; mip_linear < 2; ++mip_linear) all.push_back({kMipmap, 1, linear, mip_linear, 1});
  }
  return all;
}

inline std::uint32_t mixed_word(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

inline float unit_float(std::uint32_t w) {
  return static_cast<float>(w >> 8) * 0x1p-24f;
}

// Texel i of level `level`, from 0 to 1.
inline float volume_texel(int kind, unsigned level, unsigned i) {
  return unit_float(mixed_word(i * 7 + level * 65537 + static_cast<unsigned>(kind) * 100003 + 1));
}

// Four floats per sample: x, y, z; of a mipmap x, y and the level.
inline std::vector<float> volume_points(const VolumeCase& c) {
  std::vector<float> points;
  for (unsigned i = 0; i < kVolumeSamples; ++i) {
    std::uint32_t w = mixed_word(i + 1);
    float at[3];
    for (unsigned k = 0; k < 3; ++k, w = mixed_word(w + 5)) {
      const float u = unit_float(w);
      at[k] = c.kind == kCube ? u * 2 - 1 : c.kind == kMipmap ? (k == 2 ? u * 8 - 1 : u) : u * 3 - 1;
      if (c.kind == kVolume && c.normalized == 0) at[k] *= static_cast<float>(kVolumeSides[k]);
      points.push_back(at[k]);
    }
    points.push_back(0);
  }
  return points;
}

// The file: for each case of volume_cases(), kVolumeSamples floats.

}  // namespace silicon
