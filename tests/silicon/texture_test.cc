// Texture fetches of every format, addressing mode and filter against what an H200 returned.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../golden/golden_data.h"
#include "exec/functional/functional_device.h"

namespace silicon {
namespace {

using heddle::exec::TexelFormat;
using heddle::exec::Texture;

constexpr unsigned kSamples = 512;

// One configuration as recorded: what it was, then the samples.
struct Record {
  int format;  // see make_texels
  int mode;    // wrap, clamp, mirror, border
  int linear;
  int normalized;  // coordinates
  int dimensions;
  int error;
  float samples[kSamples];
};

std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

float unit(std::uint32_t w) {
  return static_cast<float>(w >> 8) * 0x1p-24f;
}

enum Format { kUnitFloat, kWideFloat, kU8, kU16, kS16, kChecker, kS8 };

unsigned texel_bytes(int format) {
  return format == kU8 || format == kS8 ? 1 : format == kU16 || format == kS16 ? 2 : 4;
}

std::vector<std::byte> make_texels(int format, unsigned width, unsigned height) {
  const unsigned bytes = texel_bytes(format);
  std::vector<std::byte> texels(std::size_t{width} * height * bytes);
  for (unsigned i = 0; i < width * height; ++i) {
    const std::uint32_t r = mixed(i * 7 + static_cast<std::uint32_t>(format) * 100003 + 1);
    float f = unit(r);
    if (format == kWideFloat) f = (f - 0.5f) * static_cast<float>(1 << (r & 15));
    if (format == kChecker) f = static_cast<float>((i % width + i / width) & 1);
    const std::uint32_t word = r >> 9;  // its low bytes, on little-endian hosts
    std::memcpy(&texels[std::size_t{i} * bytes], bytes == 4 ? static_cast<const void*>(&f) : &word, bytes);
  }
  return texels;
}

std::vector<float> make_points(const Record& r, unsigned width, unsigned height) {
  std::vector<float> points;
  for (unsigned i = 0; i < kSamples; ++i) {
    const std::uint32_t a = mixed(i + 1), b = mixed(a + 5);
    float x = unit(a) * 3 - 1, y = unit(b) * 3 - 1;
    if (r.normalized == 0) x *= static_cast<float>(width), y *= static_cast<float>(height);
    if (r.format == kChecker && r.normalized != 0) {
      x = 0.25f + static_cast<float>(i) * 0x1p-16f;
      y = 0.25f + static_cast<float>(i % 129) * 0x1p-8f;
    } else if (r.format == kChecker) {
      x = 0.5f + static_cast<float>(i) * 0x1p-14f * ((i & 1) != 0 ? 1.0f : 8.0f);
      y = 0.5f + static_cast<float>(i % 129) * 0x1p-9f;
    }
    points.push_back(x);
    points.push_back(y);
  }
  return points;
}

TEST(Texture, MatchesSilicon) {
  const std::string dir = std::string(SILICON_DIR) + "/recorded/";
  const std::string data = heddle::golden::read_zstd(dir + "textures.bin.zst");
  const std::string ptx = heddle::golden::read_zstd(dir + "texture_probe.75.ptx.zst");
  std::size_t exact = 0, all = 0, other_weight = 0;
  for (std::size_t at = 0; at + sizeof(Record) <= data.size(); at += sizeof(Record)) {
    Record r;
    std::memcpy(&r, data.data() + at, sizeof r);
    ASSERT_EQ(r.error, 0);
    heddle::exec::FunctionalDevice device;
    device.load_module(ptx, "texture_probe.ptx");
    Texture t;
    t.width = r.dimensions == 1 ? 50 : 64;
    t.height = r.dimensions == 1 ? 1 : 48;
    t.channel_bits = static_cast<std::uint8_t>(texel_bytes(r.format) * 8);
    t.pitch = t.width * texel_bytes(r.format);
    t.address = static_cast<std::uint64_t>(device.upload(make_texels(r.format, t.width, t.height), "texels"));
    t.format = r.format == kS16 || r.format == kS8   ? TexelFormat::Signed
               : r.format == kU8 || r.format == kU16 ? TexelFormat::Unsigned
                                                     : TexelFormat::Float;
    t.normalized_values = t.format != TexelFormat::Float;
    t.normalized_coordinates = r.normalized != 0;
    t.filter = r.linear != 0 ? heddle::exec::TexFilter::Linear : heddle::exec::TexFilter::Point;
    t.address_u = t.address_v = static_cast<heddle::exec::TexAddress>(r.mode);
    const auto points = device.upload(make_points(r, t.width, t.height), "points");
    const auto out = device.allocate(kSamples * 4, "out");
    device.launch({"sample",
                   {kSamples / 128, 1, 1},
                   {128, 1, 1},
                   0,
                   heddle::workload::args(device.textures().create(t), points, out, r.dimensions)});
    const std::vector<float> got = device.download<float>(out, kSamples);
    // What is not modelled: the last bit of a sum of floats; how 8 bits with a sign become 15; and, with
    // normalized coordinates, which of two neighbouring weights is taken just above the middle.
    const float scale = r.format == kWideFloat ? 16384.0f : 1.0f;
    const float close = scale * (r.format == kS8 ? 4e-5f : 1.3e-7f);
    for (unsigned i = 0; i < kSamples; ++i, ++all) {
      const float error = std::fabs(got[i] - r.samples[i]);
      exact += got[i] == r.samples[i];
      if (error <= close) continue;
      const bool neighbour = r.linear != 0 && r.normalized != 0 && error <= scale * 2.1f / 256;
      other_weight += neighbour;
      EXPECT_TRUE(neighbour) << "format " << r.format << " mode " << r.mode << " linear " << r.linear
                             << " normalized " << r.normalized << " dimensions " << r.dimensions << " sample "
                             << i << ": silicon " << r.samples[i] << ", here " << got[i];
    }
  }
  std::printf("%zu of %zu samples equal bit by bit, %zu with a neighbouring weight\n", exact, all,
              other_weight);
  EXPECT_GT(exact, all * 95 / 100);
  EXPECT_LT(other_weight, all / 50);
}

}  // namespace
}  // namespace silicon
