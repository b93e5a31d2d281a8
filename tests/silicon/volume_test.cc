// Volumes, cube maps and mipmaps against what an H200 returned (record_volumes.cu).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "../golden/golden_data.h"
#include "exec/functional/functional_device.h"
#include "volume_points.h"

namespace silicon {
namespace {

using heddle::exec::TexelBox;
using heddle::exec::Texture;

constexpr const char* kKernel = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry sample(.param .u64 p_t, .param .u64 p_at, .param .u64 p_out, .param .u32 p_kind) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<12>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [p_t]; ld.param.u64 %rd2, [p_at]; ld.param.u64 %rd3, [p_out]; ld.param.u32 %r1, [p_kind];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
  mad.wide.u32 %rd4, %r5, 16, %rd2; mad.wide.u32 %rd5, %r5, 4, %rd3;
  ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd4];
  setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;
  @%p1 tex.3d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2,%f3,%f3}];
  @%p1 bra DONE;
  @%p2 tex.cube.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2,%f3,%f3}];
  @%p2 bra DONE;
  tex.level.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}], %f3;
DONE:
  st.global.f32 [%rd5], %f5; ret;
}
)";

Texture describe(const VolumeCase& c) {
  Texture t;
  t.width = c.kind == kVolume ? kVolumeSides[0] : c.kind == kCube ? kCubeSide : kMipSide;
  t.height = c.kind == kVolume ? kVolumeSides[1] : t.width;
  t.depth = c.kind == kVolume ? kVolumeSides[2] : c.kind == kCube ? 6 : 1;
  const TexelBox box = heddle::exec::array_box(0, t.width, t.height, t.depth, 4);
  t.pitch = box.pitch;
  t.slice = box.slice;
  t.cube = c.kind == kCube;
  t.levels = c.kind == kMipmap ? kMipLevels : 1;
  t.max_level = kMipLevels - 1;
  t.normalized_coordinates = c.normalized != 0;
  t.address_u = t.address_v = t.address_w = static_cast<heddle::exec::TexAddress>(c.mode);
  t.filter = static_cast<heddle::exec::TexFilter>(c.linear);
  t.mip_filter = static_cast<heddle::exec::TexFilter>(c.mip_linear);
  return t;
}

std::vector<float> texels_of(const Texture& t, int kind) {
  const TexelBox last = mip_level(t, t.levels - 1u);
  std::vector<float> memory((last.address + box_bytes(last)) / 4);
  for (unsigned level = 0; level < t.levels; ++level) {
    const TexelBox b = mip_level(t, level);
    unsigned i = 0;
    for (unsigned z = 0; z < b.depth; ++z)
      for (unsigned y = 0; y < b.height; ++y)
        for (unsigned x = 0; x < b.width; ++x)
          memory[(b.address + z * b.slice + y * b.pitch) / 4 + x] = volume_texel(kind, level, i++);
  }
  return memory;
}

std::vector<float> samples_of(const VolumeCase& c) {
  heddle::exec::FunctionalDevice device;
  device.load_module(kKernel, "volumes.ptx");
  Texture t = describe(c);
  t.address = static_cast<std::uint64_t>(device.upload(texels_of(t, c.kind), "texels"));
  const auto points = device.upload(volume_points(c), "points");
  const auto out = device.allocate(kVolumeSamples * 4, "out");
  device.launch({"sample",
                 {kVolumeSamples / 128, 1, 1},
                 {128, 1, 1},
                 0,
                 heddle::workload::args(device.textures().create(t), points, out, c.kind)});
  return device.download<float>(out, kVolumeSamples);
}

// Texels are from 0 to 1: a neighbouring weight makes a difference of at most 1/256 for each coordinate.
TEST(Volumes, MatchSilicon) {
  const std::string file = std::string(SILICON_DIR) + "/recorded/volumes.bin.zst";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "not recorded";
  const std::string data = heddle::golden::read_zstd(file);
  const std::vector<VolumeCase> cases = volume_cases();
  ASSERT_EQ(data.size(), cases.size() * kVolumeSamples * sizeof(float));
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const VolumeCase& c = cases[n];
    std::vector<float> want(kVolumeSamples);
    std::memcpy(want.data(), data.data() + n * kVolumeSamples * 4, kVolumeSamples * 4);
    const std::vector<float> got = samples_of(c);
    unsigned exact = 0, close = 0;
    for (unsigned i = 0; i < kVolumeSamples; ++i) {
      const float error = std::fabs(got[i] - want[i]);
      exact += error == 0;
      close += error <= (c.linear != 0 || c.mip_linear != 0 ? 4.0f / 256 : 0);
    }
    std::printf("kind %d mode %d linear %d mip %d normalized %d: %u of %u exact, %u close\n", c.kind, c.mode,
                c.linear, c.mip_linear, c.normalized, exact, kVolumeSamples, close);
    // Points next to the border between two texels, faces or levels may fall to the other side.
    EXPECT_GE(close, kVolumeSamples * 98 / 100);
  }
}

}  // namespace
}  // namespace silicon
