// Volumes, layers, cubes, mipmaps and gathers against the formulas of the CUDA programming guide (texture
// fetching), written down again here. Coordinates are such that all weights are whole 256ths.
#include "texture_bench.h"

#include <cmath>
#include <limits>
#include <random>

namespace heddle::exec {
namespace {

// Texels with a value for each place, rows apart as a CUDA array has them.
struct Texels {
  Texture shape;
  std::vector<float> memory;

  explicit Texels(const Texture& t) : shape(t), memory(t.slice / 4 * t.depth) {
    std::mt19937 random(7);
    for (std::uint32_t z = 0; z < t.depth; ++z)
      for (std::uint32_t y = 0; y < t.height; ++y)
        for (std::uint32_t x = 0; x < t.width; ++x) at(x, y, z) = static_cast<float>(random() % 1024);
  }
  float& at(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return memory[z * shape.slice / 4 + y * shape.pitch / 4 + x];
  }
};

// The index under an addressing mode, the guide's formulas on the normalized coordinate; -1: the border.
int addressed(int i, int n, TexAddress mode) {
  const double x = (i + 0.5) / n;
  switch (mode) {
    case TexAddress::Clamp:
      return std::min(std::max(i, 0), n - 1);
    case TexAddress::Wrap:
      return static_cast<int>((x - std::floor(x)) * n);
    case TexAddress::Mirror: {
      const double f = x - std::floor(x);
      return static_cast<int>((static_cast<int>(std::floor(x)) % 2 == 0 ? f : 1 - f) * n);
    }
    case TexAddress::Border:
      return i < 0 || i >= n ? -1 : i;
  }
  return -1;
}

double texel(Texels& t, int x, int y, int z) {
  x = addressed(x, static_cast<int>(t.shape.width), t.shape.address_u);
  y = addressed(y, static_cast<int>(t.shape.height), t.shape.address_v);
  z = addressed(z, static_cast<int>(t.shape.depth), t.shape.address_w);
  if (x < 0 || y < 0 || z < 0) return t.shape.border[0];
  return t.at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z));
}

int whole(double c) {
  return static_cast<int>(std::floor(c));
}

// tex(x, y, z) of the guide: (1-a)(1-b)(1-c) T[i,j,k] + a (1-b)(1-c) T[i+1,j,k] + ...
double linear(Texels& t, double x, double y, double z) {
  const int i = whole(x - 0.5), j = whole(y - 0.5), k = whole(z - 0.5);
  const double a = x - 0.5 - i, b = y - 0.5 - j, c = z - 0.5 - k;
  double sum = 0;
  for (int n = 0; n < 8; ++n) {
    const double weight =
        ((n & 1) != 0 ? a : 1 - a) * ((n & 2) != 0 ? b : 1 - b) * ((n & 4) != 0 ? c : 1 - c);
    if (weight != 0) sum += weight * texel(t, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
  }
  return sum;
}

// Coordinates for n threads, within one texture's size around it; weights are whole 256ths.
std::vector<float> points(std::size_t n, const Texture& t) {
  std::mt19937 random(11);
  auto one = [&](std::uint32_t side, int parts) {
    const int lowest = -static_cast<int>(side) * parts, span = 3 * static_cast<int>(side) * parts;
    return static_cast<float>(lowest + static_cast<int>(random() % static_cast<unsigned>(span))) /
           static_cast<float>(parts);
  };
  std::vector<float> v;
  for (std::size_t i = 0; i < n; ++i) {
    v.push_back(one(t.width, 4));
    v.push_back(one(t.height, 8));
    v.push_back(one(t.depth, 8));
    v.push_back(static_cast<float>(random() % (t.depth + 2)));
  }
  return v;
}

constexpr const char* kVolume = "tex.3d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2,%f3,%f3}];";

TEST(TextureKinds, Volumes) {
  for (const TexAddress mode : {TexAddress::Wrap, TexAddress::Clamp, TexAddress::Mirror, TexAddress::Border})
    for (const TexFilter filter : {TexFilter::Point, TexFilter::Linear})
      for (const bool normalized : {false, true}) {
        if (!normalized && (mode == TexAddress::Wrap || mode == TexAddress::Mirror)) continue;
        Texture shape = float_texture(8, 4, 16);
        shape.address_u = shape.address_v = shape.address_w = mode;
        shape.filter = filter;
        shape.normalized_coordinates = normalized;
        shape.border[0] = 3;
        Texels t(shape);
        TextureBench b(sampling(kVolume));
        shape.address = b.upload(t.memory);
        b.create(shape);
        const std::vector<float> in = points(256, shape);
        std::vector<float> given = in;
        if (normalized)
          for (std::size_t i = 0; i < in.size(); i += 4) given[i] /= 8, given[i + 1] /= 4, given[i + 2] /= 16;
        const std::vector<float> out = b.run_floats(given);
        for (std::size_t i = 0; i < in.size(); i += 4) {
          const double x = in[i], y = in[i + 1], z = in[i + 2];
          const double want =
              filter == TexFilter::Linear ? linear(t, x, y, z) : texel(t, whole(x), whole(y), whole(z));
          ASSERT_EQ(out[i], static_cast<float>(want))
              << "mode " << static_cast<int>(mode) << (filter == TexFilter::Linear ? " linear" : " point")
              << " at " << x << ", " << y << ", " << z;
        }
      }
}

// The last word of a thread is its layer.
// Where the weights are a whole texel's, only that one need be read; what it gives is the same.
TEST(TextureKinds, LinearFilterAtTheCentreOfATexel) {
  Texels t(float_texture(4, 3, 1));
  t.at(1, 1, 0) = -0.0f;
  t.at(2, 1, 0) = std::numeric_limits<float>::infinity();  // zero times it would be no number
  t.shape.filter = TexFilter::Linear;
  t.shape.address_u = TexAddress::Wrap;
  t.shape.address_v = TexAddress::Border;
  t.shape.border = {7, 0, 0, 0};
  TextureBench b(sampling("tex.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}];"));
  t.shape.address = b.upload(t.memory);
  b.create(t.shape);
  constexpr float kAlmost = 1 - 1 / 1024.0f;  // rounds to the next texel
  const auto got = b.run_floats({0.5f,           0.5f,  0, 0, 1.5f, 1.5f,           0, 0, 2.5f,  1.5f, 0, 0,
                                 0.5f + kAlmost, 2.5f,  0, 0, 2.5f, 0.5f + kAlmost, 0, 0, -0.5f, 0.5f, 0, 0,
                                 0.5f,           -0.5f, 0, 0, 1.5f, 3.5f,           0, 0});
  const std::vector<float> want = {
      t.at(0, 0, 0), 0, t.at(2, 1, 0), t.at(1, 2, 0), t.at(2, 1, 0), t.at(3, 0, 0), 7, 7};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[4 * i], want[i]) << "point " << i;
  EXPECT_FALSE(std::signbit(got[4])) << "a sum that begins with zero";
}

TEST(TextureKinds, Layers) {
  for (const bool two : {false, true}) {
    Texture shape = float_texture(8, two ? 4 : 1, 5);
    shape.layered = true;
    shape.filter = TexFilter::Linear;
    Texels t(shape);
    TextureBench b(sampling(two ? "tex.a2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%r4,%f1,%f2,%f2}];"
                                : "tex.a1d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%r4,%f1}];"));
    shape.address = b.upload(t.memory);
    b.create(shape);
    const std::vector<float> in = points(128, shape);
    const std::vector<float> out = b.run_floats(in);
    for (std::size_t i = 0; i < in.size(); i += 4) {
      const double layer = std::min(in[i + 3], 4.0f);  // a layer that is not there is the last one
      ASSERT_EQ(out[i], static_cast<float>(linear(t, in[i], two ? in[i + 1] : 0.5, layer + 0.5)));
    }
  }
}

// Faces in the guide's table: by axis and sign, the face and which coordinates become s and t.
TEST(TextureKinds, CubesHaveSixFaces) {
  constexpr std::uint32_t kSide = 8;
  for (const bool layered : {false, true}) {
    Texture shape = float_texture(kSide, kSide, layered ? 18 : 6);
    shape.cube = true;
    shape.layered = layered;
    shape.normalized_coordinates = true;
    Texels t(shape);
    TextureBench b(sampling(layered ? "tex.acube.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%r4,%f1,%f2,%f3}];"
                                    : "tex.cube.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2,%f3,%f3}];"));
    shape.address = b.upload(t.memory);
    b.create(shape);
    std::vector<float> in, want;
    for (std::uint32_t cube = 0; cube < (layered ? 3u : 1u); ++cube)
      for (std::uint32_t y = 0; y < kSide; ++y)
        for (std::uint32_t x = 0; x < kSide; ++x) {
          // The middle of texel (x, y), from -1 to 1, and twice that, for the direction's length says
          // nothing.
          const float s = (static_cast<float>(x) + 0.5f) / 4 - 1, v = (static_cast<float>(y) + 0.5f) / 4 - 1;
          const float direction[6][3] = {{1, -v, -s}, {-1, -v, s}, {s, 1, v},
                                         {s, -1, -v}, {s, -v, 1},  {-s, -v, -1}};
          for (std::uint32_t face = 0; face < 6; ++face) {
            for (const float c : direction[face]) in.push_back(2 * c);
            in.push_back(static_cast<float>(cube));
            want.push_back(t.at(x, y, cube * 6 + face));
          }
        }
    const std::vector<float> out = b.run_floats(in);
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(out[4 * i], want[i]) << "thread " << i;
  }
}

// Three levels of 8 x 4, 4 x 2 and 2 x 1 with one value each.
struct Mipmap {
  static Texture shape() {
    Texture s = float_texture(8, 4, 1);
    s.levels = 3;
    s.max_level = 2;
    s.normalized_coordinates = true;
    return s;
  }
  static std::vector<float> memory(const Texture& s) {
    const TexelBox last = mip_level(s, 2);
    std::vector<float> m((last.address - s.address + box_bytes(last)) / 4);
    for (std::uint32_t level = 0; level < 3; ++level) {
      const TexelBox box = mip_level(s, level);
      for (std::uint32_t y = 0; y < box.height; ++y)
        for (std::uint32_t x = 0; x < box.width; ++x)
          m[(box.address - s.address + y * box.pitch) / 4 + x] = static_cast<float>(16 << (2 * level));
    }
    return m;
  }
};

std::vector<float> levels_of(Texture shape, const std::string& read, const std::vector<float>& given) {
  TextureBench b(sampling(read));
  shape.address = b.upload(Mipmap::memory(shape));
  b.create(shape);
  std::vector<float> in;
  for (const float f : given) in.insert(in.end(), {0.5f, 0.5f, f, 0});
  std::vector<float> out;
  const std::vector<float> all = b.run_floats(in);
  for (std::size_t i = 0; i < all.size(); i += 4) out.push_back(all[i]);
  return out;
}

TEST(TextureKinds, MipmapLevels) {
  const std::string level = "tex.level.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}], %f3;";
  Texture t = Mipmap::shape();
  EXPECT_EQ(levels_of(t, level, {-3, 0, 0.25f, 0.75f, 1, 1.75f, 9}),
            (std::vector<float>{16, 16, 16, 64, 64, 256, 256}));
  t.filter = t.mip_filter = TexFilter::Linear;
  EXPECT_EQ(levels_of(t, level, {-3, 0, 0.25f, 0.5f, 1, 1.75f, 9}),
            (std::vector<float>{16, 16, 28, 40, 64, 208, 256}));
  t.max_level = 1;
  t.mip_bias = 0.5f;
  EXPECT_EQ(levels_of(t, level, {0, 9}), (std::vector<float>{40, 64}));
  // Without a level it is the first, but for the bias.
  EXPECT_EQ(levels_of(t, "tex.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}];", {7}),
            (std::vector<float>{40}));
}

// A gradient that is n texels of the first level long belongs to level log2(n); the longer one counts.
TEST(TextureKinds, MipmapGradients) {
  Texture t = Mipmap::shape();
  t.mip_filter = TexFilter::Linear;
  const std::string grad =
      "mov.f32 %f9, 0f00000000; tex.grad.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}], {%f3,%f9}, "
      "{%f9,%f9};";
  EXPECT_EQ(levels_of(t, grad, {0, 0.125f, 0.25f, 0.5f, 1}), (std::vector<float>{16, 16, 64, 256, 256}));
  const std::string other =
      "mov.f32 %f9, 0f3dcccccd; tex.grad.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}], {%f9,%f9}, "
      "{%f9,%f3};";
  EXPECT_EQ(levels_of(t, other, {1, 2})[1], 256);
}

// A gradient that comes from an atomic, in an instruction with more operands than the scoreboard sees. It is
// the last one, 4 texels long.
TEST(TextureKinds, GradientsWaitForTheResultsOfAtomics) {
  Texture t = Mipmap::shape();
  TextureBench b(
      "mov.f32 %f1, 0f3F000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
      "atom.global.exch.b32 %r3, [%mine+8], 0;\n"
      "@!%p1 tex.grad.3d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2,%f3,%f3}], {%r1,%r1,%r1,%r1}, "
      "{%r2,%r3,%r1,%r1};\n"
      "st.global.f32 [%mine+12], %f5;");
  t.address = b.upload(Mipmap::memory(t));
  b.create(t);
  std::vector<float> in;
  for (int i = 0; i < 64; ++i) in.insert(in.end(), {0, 0, 1, 0});  // of a height of 4
  const std::vector<float> out = b.run_floats(in);
  for (std::size_t i = 3; i < out.size(); i += 4) EXPECT_EQ(out[i], 256);
}

// Sixteen texels of a lane in up to sixteen sectors: more than an instruction has parts.
TEST(TextureKinds, ManySectors) {
  Texture t = float_texture(64, 8, 8);
  t.levels = 2;
  t.max_level = 1;
  t.filter = t.mip_filter = TexFilter::Linear;
  t.normalized_coordinates = true;
  TextureBench b(sampling("tex.level.3d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2,%f3,%f3}], %f4;"));
  const TexelBox last = mip_level(t, 1);
  std::vector<float> memory((last.address + box_bytes(last)) / 4, 5.0f);
  t.address = b.upload(memory);
  b.create(t);
  std::vector<float> in;
  for (int i = 0; i < 32; ++i) in.insert(in.end(), {0.25f, static_cast<float>(i % 8) / 8, 0.5f, 0.5f});
  const std::vector<float> out = b.run_floats(in);
  for (std::size_t i = 0; i < out.size(); i += 4) EXPECT_EQ(out[i], 5.0f);
  EXPECT_EQ(b.windowed().accesses(workload::WarpAccess::Space::Texture), kMostParts);
}

// Round the four texels of a linear filter, from the lower left.
TEST(TextureKinds, Gather) {
  Texture shape = float_texture(4, 4, 1);
  shape.channels = 2;
  shape.pitch = 32;
  shape.slice = 128;
  std::vector<float> memory(32);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  for (const char component : {'r', 'g', 'b'}) {
    TextureBench b(
        sampling(std::string("tld4.") + component + ".2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1,%f2}];"));
    shape.address = b.upload(memory);
    b.create(shape);
    const std::vector<float> out = b.run_floats({2, 3, 0, 0});
    const auto at = [&](int x, int y) {
      return component == 'b' ? 0.0f : static_cast<float>(8 * y + 2 * x + (component == 'g' ? 1 : 0));
    };
    EXPECT_EQ(out, (std::vector<float>{at(1, 3), at(2, 3), at(2, 2), at(1, 2)}));
  }
}

TEST(TextureKinds, IntegerCoordinatesReadZeroOutside) {
  Texture shape = float_texture(4, 4, 4);
  Texels t(shape);
  TextureBench b(
      "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%mine];\n"
      "tex.3d.v4.f32.s32 {%f5,%f6,%f7,%f8}, [%rd1, {%r1,%r2,%r3,%r3}]; st.global.f32 [%mine], %f5;");
  shape.address = b.upload(t.memory);
  b.create(shape);
  const auto out = b.run({1, 2, 3, 0, 1, 2, 4, 0, ~0u, 0, 0, 0});
  EXPECT_EQ(std::bit_cast<float>(out[0]), t.at(1, 2, 3));
  EXPECT_EQ(out[4], 0u);
  EXPECT_EQ(out[8], 0u);
}

std::vector<float> formats(Texture t, const std::vector<std::uint16_t>& memory, const std::vector<float>& in,
                           const char* read = "tex.1d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd1, {%f1}];") {
  TextureBench b(sampling(read));
  t.address = b.upload(memory);
  b.create(t);
  return b.run_floats(in);
}

TEST(TextureKinds, HalvesAndBorders) {
  Texture t = float_texture(2, 1, 1);
  t.channel_bits = 16;
  t.channels = 2;
  t.filter = TexFilter::Linear;
  t.address_u = TexAddress::Border;
  t.border = {100, 200, 0, 0};
  const std::vector<std::uint16_t> texels = {0x3c00, 0x4000, 0x4400, 0xc400, 0, 0};  // 1, 2; 4, -4
  const auto out = formats(t, texels, {1, 0, 0, 0, -9, 0, 0, 0, 0.75f, 0, 0, 0});
  EXPECT_EQ(out[0], 2.5f);
  EXPECT_EQ(out[1], -1.0f);
  EXPECT_EQ(out[4], 100.0f);
  EXPECT_EQ(out[5], 200.0f);
  EXPECT_EQ(out[8], 1.75f);
  // Results in halves, one or two to a register.
  const auto halves = formats(t, texels, {0.5f, 0, 0, 0},
                              "tex.1d.v2.f16x2.f32 {%r5,%r6}, [%rd1, {%f1}]; mov.b32 %f5, %r5;"
                              "tex.1d.v4.f16.f32 {%h1,%h2,%h3,%h4}, [%rd1, {%f1}]; cvt.f32.f16 %f6, %h2;");
  EXPECT_EQ(std::bit_cast<std::uint32_t>(halves[0]), 0x40003c00u);
  EXPECT_EQ(halves[1], 2.0f);
}

// sRGB is linear near zero and a power of 2.4 above; alpha is always linear.
TEST(TextureKinds, Srgb) {
  Texture t = float_texture(4, 1, 1);
  t.channel_bits = 8;
  t.channels = 4;
  t.format = TexelFormat::Unsigned;
  t.normalized_values = t.srgb = true;
  const auto out = formats(t, {0x0a00, 0x80ff, 0, 0, 0, 0, 0, 0}, {0.5f, 0, 0, 0});
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_FLOAT_EQ(out[1], 10 / 255.0f / 12.92f);
  EXPECT_EQ(out[2], 1.0f);
  EXPECT_FLOAT_EQ(out[3], 128 / 255.0f);
  const auto middle = formats(t, {0x0080, 0, 0, 0, 0, 0, 0, 0}, {0.5f, 0, 0, 0});
  EXPECT_NEAR(middle[0], 0.21586050, 1e-7);
}

TEST(TextureKinds, Queries) {
  Texture t = Mipmap::shape();
  t.depth = 6;
  t.layered = true;
  TextureBench b(
      "txq.width.b32 %r1, [%rd1]; txq.level.height.b32 %r2, [%rd1], 1; txq.array_size.b32 %r3, [%rd1];\n"
      "txq.num_mipmap_levels.b32 %r4, [%rd1]; st.global.v4.u32 [%mine], {%r1,%r2,%r3,%r4};");
  b.create(t);
  EXPECT_EQ(b.run({0, 0, 0, 0}), (std::vector<std::uint32_t>{8, 2, 6, 3}));
  TextureBench c(
      "txq.channel_data_type.b32 %r1, [%rd1]; txq.channel_order.b32 %r2, [%rd1];\n"
      "txq.normalized_coords.b32 %r3, [%rd1]; suq.depth.b32 %r4, [%rd1];\n"
      "st.global.v4.u32 [%mine], {%r1,%r2,%r3,%r4};");
  c.create(t);
  EXPECT_EQ(c.run({0, 0, 0, 0}), (std::vector<std::uint32_t>{0x10de, 0x10b0, 1, 1}));
}

}  // namespace
}  // namespace heddle::exec
