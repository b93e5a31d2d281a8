// Texture objects: point and linear filtering, addressing modes, one and two dimensions.
#include "bench.h"

#include <bit>

namespace heddle::exec {
namespace {

const std::vector<float> kRow = {10, 20, 30, 40};

// tex.1d.v4.f32.f32 at each of `xs`.
std::vector<float> fetch(Texture t, const std::vector<float>& xs, const std::vector<float>& ys = {},
                         const std::vector<float>& texels = kRow) {
  const bool flat = ys.empty();
  Bench b("ld.param.u64 %rd1, [k_tex]; ld.global.f32 %f1, [%mine]; ld.global.f32 %f2, [%mine+128];\n" +
              std::string(flat ? "tex.1d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1}];"
                               : "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1, %f2}];") +
              "\nst.global.f32 [%mine], %f3;",
          {.params = ", .param .u64 k_tex",
           .more = args(std::uint64_t{0x7e00'0000'0000'0000}),
           .block = {static_cast<std::uint32_t>(xs.size()), 1, 1},
           .words = 64});
  const auto data = b.device().allocate(4 * texels.size(), "texels");
  b.device().copy_in(data, texels.data(), 4 * texels.size());
  t.address = static_cast<std::uint64_t>(data);
  if (t.width == 0) t.width = static_cast<std::uint32_t>(texels.size());
  t.pitch = 4 * t.width;
  EXPECT_EQ(b.device().textures().create(t), 0x7e00'0000'0000'0000u);
  std::vector<std::uint32_t> in(64);
  for (std::size_t i = 0; i < xs.size(); ++i) in[i] = std::bit_cast<std::uint32_t>(xs[i]);
  for (std::size_t i = 0; i < ys.size(); ++i) in[32 + i] = std::bit_cast<std::uint32_t>(ys[i]);
  b.set_out(in);
  std::vector<float> out;
  b.run();
  for (std::size_t i = 0; i < xs.size(); ++i) out.push_back(std::bit_cast<float>(b.out()[i]));
  return out;
}

TEST(Texture, PointClampAndBorder) {
  EXPECT_EQ(fetch({}, {0.0f, 0.9f, 1.0f, 3.99f, -5.0f, 9.0f}), (std::vector<float>{10, 10, 20, 40, 10, 40}));
  EXPECT_EQ(fetch({.address_u = TexAddress::Border}, {0.0f, -0.1f, 4.0f}), (std::vector<float>{10, 0, 0}));
}

TEST(Texture, NormalizedWrapAndMirror) {
  EXPECT_EQ(fetch({.normalized_coordinates = true, .address_u = TexAddress::Wrap},
                  {0.0f, 0.25f, 1.0f, 1.5f, -0.25f}),
            (std::vector<float>{10, 20, 10, 30, 40}));
  EXPECT_EQ(
      fetch({.normalized_coordinates = true, .address_u = TexAddress::Mirror}, {0.0f, 1.0f, 1.25f, -0.125f}),
      (std::vector<float>{10, 40, 30, 10}));
}

TEST(Texture, Linear) {
  EXPECT_EQ(fetch({.filter = TexFilter::Linear}, {0.5f, 1.0f, 1.25f, 0.0f, 4.0f}),
            (std::vector<float>{10, 15, 17.5f, 10, 40}));
  EXPECT_EQ(fetch({.filter = TexFilter::Linear, .address_u = TexAddress::Border}, {0.0f, 4.0f}),
            (std::vector<float>{5, 20}));
}

TEST(Texture, TwoDimensions) {
  const std::vector<float> square = {1, 2, 3, 4};
  EXPECT_EQ(fetch({.width = 2, .height = 2}, {0.5f, 1.5f, 0.5f, 1.5f}, {0.5f, 0.5f, 1.5f, 1.5f}, square),
            square);
  EXPECT_EQ(fetch({.width = 2, .height = 2, .filter = TexFilter::Linear}, {1.0f, 1.0f, 0.5f, 9.0f},
                  {1.0f, 0.5f, 1.0f, 9.0f}, square),
            (std::vector<float>{2.5f, 1.5f, 2.0f, 4.0f}));
}

TEST(Texture, UnknownHandleIsAnError) {
  Bench b("mov.u64 %rd1, 5;\ntex.1d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd1, {%f1}]; //tex");
  EXPECT_EQ(b.run_error().place().line, b.line("tex"));
}

}  // namespace
}  // namespace heddle::exec
