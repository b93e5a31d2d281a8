// Textures as host programs of workloads describe them: kind, size and number of channels, rows or linear
// memory.
#include "texture_bench.h"

namespace heddle::exec {
namespace {

using workload::DevicePtr;
using workload::TexelKind;
using workload::TextureView;

// What a kernel of four threads reads of a texture of 16 texels per row; thread i reads texel (i, i % 2).
template <class T>
std::vector<std::uint32_t> read(const std::vector<T>& texels, TextureView view,
                                const std::string& instruction) {
  FunctionalDevice device;
  device.load_module(
      kernel_text("ld.param.u64 %rd1, [k_object]; mad.wide.u32 %mine, %gid, 16, %out;\n"
                  "and.b32 %r2, %gid, 1; cvt.rn.f32.u32 %f1, %gid; cvt.rn.f32.u32 %f2, %r2;\n" +
                      instruction + "\nst.global.v4.u32 [%mine], {%r5,%r6,%r7,%r8};",
                  "", ", .param .u64 k_object"),
      "texture.ptx");
  view.texels = device.upload(texels, "texels");
  const DevicePtr out = device.allocate(4 * 16, "out");
  device.launch({"k", {1, 1, 1}, {4, 1, 1}, 0, args(out, device.texture(view))});
  return device.download<std::uint32_t>(out, 16);
}

std::vector<std::uint32_t> first_of_four(const std::vector<std::uint32_t>& words) {
  return {words[0], words[4], words[8], words[12]};
}

TEST(TextureView, LinearMemoryOfWords) {
  const std::vector<std::uint32_t> texels{0xffffffff, 0x7fc00001, 3, 0x80000000};
  const auto got = read(texels, {.kind = TexelKind::Unsigned, .width = 4},
                        "tex.1d.v4.u32.s32 {%r5,%r6,%r7,%r8}, [%rd1, {%gid}];");
  EXPECT_EQ(first_of_four(got), texels);
}

TEST(TextureView, RowsOfFourWords) {
  std::vector<std::uint32_t> texels(2 * 16 * 4);
  for (std::uint32_t i = 0; i < texels.size(); ++i) texels[i] = 0x80000000 + i;
  const auto got = read(texels, {.kind = TexelKind::Unsigned, .channels = 4, .width = 16, .height = 2},
                        "tex.2d.v4.u32.f32 {%r5,%r6,%r7,%r8}, [%rd1, {%f1,%f2}];");
  for (std::uint32_t thread = 0; thread < 4; ++thread)
    for (std::uint32_t c = 0; c < 4; ++c)
      EXPECT_EQ(got[4 * thread + c], texels[(thread % 2 * 16 + thread) * 4 + c]) << thread << ", " << c;
}

TEST(TextureView, RowsOfSignedBytes) {
  std::vector<std::int8_t> texels(2 * 32);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::int8_t>(i - 40);
  const auto got = read(texels, {.kind = TexelKind::Signed, .channel_bits = 8, .width = 32, .height = 2},
                        "tex.2d.v4.s32.f32 {%r5,%r6,%r7,%r8}, [%rd1, {%f1,%f2}];");
  EXPECT_EQ(first_of_four(got), (std::vector<std::uint32_t>{-40u, -7u, -38u, -5u}));
}

TEST(TextureView, NormalizedBytesAreSharesOfTheLargest) {
  std::vector<std::uint8_t> texels(2 * 16 * 4);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint8_t>(255 - 2 * i);
  const auto got = read(texels,
                        {.kind = TexelKind::Unsigned,
                         .channel_bits = 8,
                         .channels = 4,
                         .width = 16,
                         .height = 2,
                         .normalized = true},
                        "tex.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}];\n"
                        "mov.b32 %r5, %f5; mov.b32 %r6, %f6; mov.b32 %r7, %f7; mov.b32 %r8, %f8;");
  for (std::uint32_t thread = 0; thread < 4; ++thread)
    for (std::uint32_t c = 0; c < 4; ++c)
      EXPECT_EQ(std::bit_cast<float>(got[4 * thread + c]),
                static_cast<float>(texels[(thread % 2 * 16 + thread) * 4 + c]) / 255.0f)
          << thread << ", " << c;
}

TEST(TextureView, NormalizedWordsWithSignReachBothEnds) {
  const std::vector<std::int16_t> texels{32767, -32768, -32767, 0};
  const auto got =
      read(texels, {.kind = TexelKind::Signed, .channel_bits = 16, .width = 4, .normalized = true},
           "tex.1d.v4.f32.s32 {%f5,%f6,%f7,%f8}, [%rd1, {%gid}]; mov.b32 %r5, %f5;");
  const float want[] = {1.0f, -1.0f, -1.0f, 0.0f};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(first_of_four(got)[i]), want[i]);
}

TEST(TextureView, FloatsAreTheDefault) {
  const std::vector<float> texels{1.5f, -2.0f, 0.0f, 1e30f};
  const auto got =
      read(texels, {.width = 4}, "tex.1d.v4.f32.s32 {%f5,%f6,%f7,%f8}, [%rd1, {%gid}]; mov.b32 %r5, %f5;");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(first_of_four(got)[i]), texels[i]);
}

TEST(TextureView, WhatHardwareCouldNotHaveIsRefused) {
  FunctionalDevice device;
  const DevicePtr texels = device.allocate(1024, "texels");
  EXPECT_THROW(device.texture({.texels = texels, .width = 9, .height = 2}), Error);
  EXPECT_NO_THROW(device.texture({.texels = texels, .width = 8, .height = 2}));
  EXPECT_THROW(device.texture({.texels = texels, .channel_bits = 64, .width = 8}), Error);
  EXPECT_THROW(device.texture({.texels = texels, .channel_bits = 8, .width = 8}), Error);
  EXPECT_THROW(device.texture({.texels = texels, .channels = 3, .width = 8}), Error);
  EXPECT_THROW(device.texture({.texels = texels, .width = 8, .normalized = true}), Error);
  EXPECT_THROW(device.texture({.texels = texels, .kind = TexelKind::Signed, .width = 8, .normalized = true}),
               Error);
}

}  // namespace
}  // namespace heddle::exec
