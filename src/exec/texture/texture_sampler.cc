#include "exec/texture/texture_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::exec {
namespace {

using ptx::TexGeometry;

constexpr float kLargeCoordinate = 1e9f;
constexpr std::uint32_t kFaces = 6;

float finite(float c) {
  if (std::fabs(c) < kLargeCoordinate) return c;
  return c > 0 ? kLargeCoordinate : c < 0 ? -kLargeCoordinate : 0.0f;
}

// In texels. The product of a normalized coordinate is not rounded to a float. Levels of a mipmap have
// coordinates of their own only where these are normalized.
double texel_coordinate(double c, std::uint32_t n, bool normalized) {
  return normalized ? c * n : c;
}

// The position between two texels, in 256ths; 256 when it rounds to the second one.
struct Weighted {
  std::int64_t index;
  int weight;
};
Weighted split(double c) {
  const double shifted = c - 0.5;
  const double base = std::floor(shifted);
  return {static_cast<std::int64_t>(base), static_cast<int>(std::floor((shifted - base) * 256 + 0.5))};
}

// Integers are filtered with 16 bits (15 and a sign), whatever their width, and the lowest one of those with
// a sign counts as less than -1 until the end; an H200 was measured.
template <std::size_t N>
double filter_integers(const std::array<Texel, N>& texels, unsigned k, const std::array<int, N>& weight,
                       const Texture& t) {
  const bool is_signed = t.format == TexelFormat::Signed;
  const double scale = is_signed ? 32767 : 65535;
  const double largest =
      static_cast<double>((std::uint64_t{1} << (t.channel_bits - (is_signed ? 1 : 0))) - 1);
  std::int64_t sum = 128;
  for (std::size_t i = 0; i < N; ++i) {
    const std::uint32_t word = texels[i].channel[k];
    const double v = is_signed ? static_cast<double>(static_cast<std::int32_t>(word)) : word;
    const double part = texels[i].border ? std::bit_cast<float>(word) * scale : v * scale / largest;
    sum += weight[i] * std::llround(part);
  }
  return std::max(-1.0, static_cast<double>(sum >> 8) / scale);
}

template <std::size_t N>
TexelValues filter(TexelReader& s, const Texture& t, const std::array<Texel, N>& texels,
                   const std::array<int, N>& weight) {
  TexelValues out{};
  for (unsigned k = 0; k < t.channels; ++k) {
    double result = 0;
    if (t.format == TexelFormat::Float || t.srgb) {
      for (std::size_t i = 0; i < N; ++i)
        if (weight[i] != 0) result += static_cast<double>(weight[i]) / 256 * s.value(texels[i], k);
    } else {
      result = filter_integers(texels, k, weight, t);
    }
    out[k] = std::bit_cast<std::uint32_t>(static_cast<float>(result));
  }
  return out;
}

// Where a coordinate lies in one level: x and y in texels, and the slice or, in a volume, z.
struct Position {
  double x = 0, y = 0, z = 0;
  std::uint32_t slice = 0;
  bool volume = false;
};

// The face of a cube and the position on it (table of the programming guide). Of equal magnitudes the guide
// says nothing: the last axis counts.
struct CubeFace {
  std::uint32_t face;
  double s, t;  // in [0, 1]
};
CubeFace face_of(double x, double y, double z) {
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  double m = 0, s = 0, t = 0;
  std::uint32_t face = 0;
  if (az >= ax && az >= ay) {
    face = z < 0 ? 5 : 4;
    m = az;
    s = z < 0 ? -x : x;
    t = -y;
  } else if (ay >= ax) {
    face = y < 0 ? 3 : 2;
    m = ay;
    s = x;
    t = y < 0 ? -z : z;
  } else {
    face = x < 0 ? 1 : 0;
    m = ax;
    s = x < 0 ? z : -z;
    t = -y;
  }
  if (m == 0) return {face, 0.5, 0.5};
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

Position position_of(const Texture& t, const TexelBox& box, const TexturePoint& p) {
  const bool n = t.normalized_coordinates;
  const double u = finite(p.at[0]), v = finite(p.at[1]), w = finite(p.at[2]);
  Position at;
  const std::uint32_t last = box.depth - 1;
  switch (p.geometry) {
    // One dimension is one row that is sampled at its upper edge, half way to the row above: only visible
    // where the border is asked for in the second dimension.
    case TexGeometry::A1d:
      at.slice = std::min(p.layer, last);
      [[fallthrough]];
    case TexGeometry::T1d:
      at.x = texel_coordinate(u, box.width, n);
      break;
    case TexGeometry::A2d:
      at.slice = std::min(p.layer, last);
      [[fallthrough]];
    default:
      at.x = texel_coordinate(u, box.width, n);
      at.y = texel_coordinate(v, box.height, n);
      break;
    case TexGeometry::T3d:
      at.volume = true;
      at.x = texel_coordinate(u, box.width, n);
      at.y = texel_coordinate(v, box.height, n);
      at.z = texel_coordinate(w, box.depth, n);
      break;
    case TexGeometry::Cube:
    case TexGeometry::Acube: {
      const CubeFace f = face_of(u, v, w);
      const std::uint32_t cubes = std::max(1u, box.depth / kFaces);
      const std::uint32_t cube = p.geometry == TexGeometry::Acube ? std::min(p.layer, cubes - 1) : 0;
      at.slice = std::min(cube * kFaces + f.face, last);
      at.x = f.s * box.width;
      at.y = f.t * box.height;
      break;
    }
  }
  return at;
}

// A slice of a volume, or its border.
Texel texel_of(TexelReader& s, const Texture& t, const TexelBox& box, std::int64_t x, std::int64_t y,
               const Position& at, std::int64_t z) {
  if (!at.volume) return s.at(box, x, y, at.slice);
  z = address_texel(z, box.depth, t.address_w);
  return z < 0 ? s.border() : s.at(box, x, y, static_cast<std::uint32_t>(z));
}

// The weights of four texels of a plane, in 256ths.
std::array<int, 4> plane_weights(int u, int v) {
  // Silicon rounds the product of the two weights to 256ths; the other three follow from it.
  const int both = (u * v + 128) >> 8;
  return {256 - u - v + both, u - both, v - both, both};
}

TexelValues filter_plane(TexelReader& s, const Texture& t, const TexelBox& box, const Position& at) {
  const Weighted u = split(at.x), v = split(at.y);
  // At the centre of a texel, where most programs read, the other three count nothing.
  if (((u.weight | v.weight) & 255) == 0 && !s.notes_accesses()) {
    const std::array<Texel, 1> texel = {
        s.at(box, u.index + u.weight / 256, v.index + v.weight / 256, at.slice)};
    return filter(s, t, texel, std::array<int, 1>{256});
  }
  const std::array<Texel, 4> texels = {
      s.at(box, u.index, v.index, at.slice), s.at(box, u.index + 1, v.index, at.slice),
      s.at(box, u.index, v.index + 1, at.slice), s.at(box, u.index + 1, v.index + 1, at.slice)};
  return filter(s, t, texels, plane_weights(u.weight, v.weight));
}

// The weights of the plane, divided between two planes.
TexelValues filter_volume(TexelReader& s, const Texture& t, const TexelBox& box, const Position& at) {
  const Weighted u = split(at.x), v = split(at.y), w = split(at.z);
  const std::array<int, 4> plane = plane_weights(u.weight, v.weight);
  std::array<Texel, 8> texels;
  std::array<int, 8> weight;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned x = i & 1, y = i >> 1 & 1, z = i >> 2;
    texels[i] = texel_of(s, t, box, u.index + x, v.index + y, at, w.index + z);
    const int far = (plane[i & 3] * w.weight + 128) >> 8;
    weight[i] = z != 0 ? far : plane[i & 3] - far;
  }
  return filter(s, t, texels, weight);
}

TexelValues values_of(const TexelReader& s, const Texture& t, const Texel& texel) {
  TexelValues out = texel.channel;
  if (t.normalized_values && t.format != TexelFormat::Float)
    for (unsigned k = 0; k < t.channels; ++k) out[k] = std::bit_cast<std::uint32_t>(s.value(texel, k));
  return out;
}

TexelValues sample_level(TexelReader& s, const Texture& t, const TexturePoint& p, std::uint32_t level) {
  const TexelBox box = mip_level(t, level);
  const Position at = position_of(t, box, p);
  if (t.filter == TexFilter::Linear && t.as_float())
    return at.volume ? filter_volume(s, t, box, at) : filter_plane(s, t, box, at);
  return values_of(
      s, t,
      texel_of(s, t, box, static_cast<std::int64_t>(std::floor(at.x)),
               static_cast<std::int64_t>(std::floor(at.y)), at, static_cast<std::int64_t>(std::floor(at.z))));
}

// To 16 binary places, by squaring: the same on every host.
double log2_of(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent) * 2;  // [1, 2)
  double result = exponent - 1;
  for (double bit = 0.5; bit >= 0x1p-16; bit /= 2) {
    m *= m;
    if (m < 2) continue;
    m /= 2;
    result += bit;
  }
  return result;
}

// The level at which the longer of the two gradients is one texel long.
double gradient_level(const Texture& t, const TexturePoint& p) {
  const bool cube = p.geometry == TexGeometry::Cube || p.geometry == TexGeometry::Acube;
  std::array<double, 3> side = {1, 1, 1};
  if (cube) {
    const double major = std::max({std::fabs(p.at[0]), std::fabs(p.at[1]), std::fabs(p.at[2])});
    side.fill(major > 0 ? t.width / (2.0 * major) : 0);
  } else if (t.normalized_coordinates) {
    side = {static_cast<double>(t.width), static_cast<double>(t.height), static_cast<double>(t.depth)};
  }
  double x = 0, y = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const double a = finite(p.dx[i]) * side[i], b = finite(p.dy[i]) * side[i];
    x += a * a;
    y += b * b;
  }
  const double longest = std::max(x, y);
  return longest > 0 ? log2_of(longest) / 2 : -128;
}

}  // namespace

TexelValues sample_texture(TexelReader& reader, const Texture& t, const TexturePoint& p) {
  if (t.levels == 1) return sample_level(reader, t, p, 0);
  const double last = t.levels - 1;
  const double finest = std::clamp<double>(finite(t.min_level), 0, last),
               coarsest = std::clamp<double>(finite(t.max_level), finest, last);
  const double asked = (p.has_gradient ? gradient_level(t, p) : finite(p.level)) + finite(t.mip_bias);
  const double level = std::clamp(asked, finest, coarsest);
  const double below = t.mip_filter == TexFilter::Linear && t.as_float() ? level : level + 0.5;
  const auto low = static_cast<std::uint32_t>(std::floor(below));
  const int weight = static_cast<int>((level - low) * 256);  // cut off, as cards do
  const TexelValues first = sample_level(reader, t, p, std::min<std::uint32_t>(low, t.levels - 1u));
  if (t.mip_filter == TexFilter::Point || !t.as_float() || weight <= 0) return first;
  const TexelValues second = sample_level(reader, t, p, std::min<std::uint32_t>(low + 1, t.levels - 1u));
  TexelValues out{};
  for (unsigned k = 0; k < t.channels; ++k) {
    const double a = std::bit_cast<float>(first[k]), b = std::bit_cast<float>(second[k]);
    out[k] = std::bit_cast<std::uint32_t>(static_cast<float>(a + (b - a) * weight / 256));
  }
  return out;
}

TexelValues fetch_texel(TexelReader& reader, const Texture& t, TexGeometry geometry, std::uint32_t layer,
                        const std::array<std::int32_t, 3>& at, std::int32_t level) {
  const auto last_level = static_cast<std::int32_t>(t.levels) - 1;
  const TexelBox box = mip_level(t, static_cast<std::uint32_t>(std::clamp(level, 0, last_level)));
  const bool volume = geometry == TexGeometry::T3d;
  const bool layered = geometry == TexGeometry::A1d || geometry == TexGeometry::A2d;
  const auto inside = [](std::int32_t i, std::uint32_t n) {
    return i >= 0 && static_cast<std::uint32_t>(i) < n;
  };
  if (!inside(at[0], box.width) || !inside(at[1], box.height) || (volume && !inside(at[2], box.depth)))
    return {};
  const std::uint32_t slice = volume    ? static_cast<std::uint32_t>(at[2])
                              : layered ? std::min(layer, box.depth - 1)
                                        : 0;
  return values_of(reader, t, reader.at(box, at[0], at[1], slice));
}

TexelValues gather_texels(TexelReader& reader, const Texture& t, const TexturePoint& p, unsigned component) {
  const TexelBox box = mip_level(t, 0);
  const Position at = position_of(t, box, p);
  const auto x = static_cast<std::int64_t>(std::floor(at.x - 0.5)),
             y = static_cast<std::int64_t>(std::floor(at.y - 0.5));
  // Round the four, from the lower left corner.
  constexpr std::array<std::array<int, 2>, 4> kOrder = {{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  TexelValues out{};
  for (unsigned i = 0; i < 4; ++i)
    out[i] = values_of(reader, t, reader.at(box, x + kOrder[i][0], y + kOrder[i][1], at.slice))[component];
  return out;
}

}  // namespace heddle::exec
