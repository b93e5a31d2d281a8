// tex.1d and tex.2d: addressing modes, point and linear filtering (CUDA programming guide, texture fetching).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/bind.h"
#include "exec/context.h"
#include "exec/kernel_image.h"
#include "exec/memory_access.h"
#include "exec/texture.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Type;

using Texel = std::array<std::uint32_t, 4>;  // as the format has them: integers, or float bits

constexpr float kLargeCoordinate = 1e9f;

// Index of a texel under the addressing mode; -1: the border (zeros).
std::int64_t address_texel(std::int64_t i, std::uint32_t n, TexAddress mode) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case TexAddress::Clamp:
      return std::clamp<std::int64_t>(i, 0, n - 1);
    case TexAddress::Border:
      return -1;
    case TexAddress::Wrap:
      return ((i % n) + n) % n;
    case TexAddress::Mirror: {
      const std::int64_t period = 2 * std::int64_t{n};
      const std::int64_t j = ((i % period) + period) % period;
      return j < n ? j : period - 1 - j;
    }
  }
  return -1;
}

// The sectors that lanes touch, for the timing side: a lane's first, its second, and so on.
struct TexelTrace {
  std::array<Access, 4> part;
  std::array<std::uint8_t, kLanes> sectors{};

  void note(unsigned lane, mem::Address a) {
    for (unsigned k = 0; k < sectors[lane]; ++k)
      if (part[k].address[lane] / 32 == a / 32) return;
    Access& p = part[sectors[lane]++];
    p.mask |= 1u << lane;
    p.address[lane] = a;
  }
  void hand_to(Warp& w, std::uint32_t bytes) {
    Access& access = w.access();
    access.parts = 0;
    access.mask = part[0].mask;
    for (Access& p : part) {
      if (p.mask == 0) break;
      p.space = ptx::Space::Global;
      p.bytes = bytes;
      w.add_part(p);
    }
  }
};

// Reads texels of one warp instruction and remembers what was touched, for the access count.
class Sampler {
 public:
  Sampler(Warp& w, const Code& c, const Texture& t, int lane, TexelTrace* trace)
      : warp_(w), code_(c), texture_(t), lane_(lane), trace_(trace) {}

  Texel at(std::int64_t x, std::int64_t y) {
    x = address_texel(x, texture_.width, texture_.address_u);
    y = address_texel(y, texture_.height, texture_.address_v);
    Texel out{};
    if (texture_.channels < 4) out[3] = 0;
    if (x < 0 || y < 0) return out;
    const unsigned bytes = texture_.channel_bits / 8u;
    const mem::Address a = texture_.address + static_cast<std::uint64_t>(y) * texture_.pitch +
                           static_cast<std::uint64_t>(x) * bytes * texture_.channels;
    const mem::Allocation* block = warp_.context().memory.find(a);
    if (block == nullptr || block->end - a < std::uint64_t{bytes} * texture_.channels) {
      warp_.access().space = ptx::Space::Global;
      warp_.access().bytes = bytes * texture_.channels;
      warp_.access().write = warp_.access().atomic = false;
      fault(warp_, code_, lane_, a, "out-of-bounds texture");
    }
    warp_.access().address[static_cast<unsigned>(lane_)] = a;
    if (trace_ != nullptr) trace_->note(static_cast<unsigned>(lane_), a);
    for (unsigned k = 0; k < texture_.channels; ++k) {
      std::uint32_t raw = 0;
      std::memcpy(&raw, warp_.context().memory.host(a) + k * bytes, bytes);
      if (texture_.format == TexelFormat::Signed && bytes < 4) {
        const unsigned shift = 32 - texture_.channel_bits;
        raw = static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << shift) >> shift);
      }
      out[k] = raw;
    }
    return out;
  }

  float value(const Texel& t, unsigned k) const {
    if (texture_.format == TexelFormat::Float) return std::bit_cast<float>(t[k]);
    if (texture_.format == TexelFormat::Unsigned) {
      const float v = static_cast<float>(t[k]);
      return texture_.normalized_values ? v / static_cast<float>((1u << texture_.channel_bits) - 1) : v;
    }
    const float v = static_cast<float>(static_cast<std::int32_t>(t[k]));
    return texture_.normalized_values
               ? std::max(-1.0f, v / static_cast<float>((1u << (texture_.channel_bits - 1)) - 1))
               : v;
  }

 private:
  Warp& warp_;
  const Code& code_;
  const Texture& texture_;
  int lane_;
  TexelTrace* trace_;
};

// In texels. The product of a normalized coordinate is not rounded to a float.
double texel_coordinate(float c, std::uint32_t n, const Texture& t) {
  if (!(std::fabs(c) < kLargeCoordinate)) c = c > 0 ? kLargeCoordinate : c < 0 ? -kLargeCoordinate : 0.0f;
  return t.normalized_coordinates ? static_cast<double>(c) * n : c;
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
double filter_integers(const std::array<Texel, 4>& texels, unsigned k, const std::array<int, 4>& weight,
                       const Texture& t) {
  const bool is_signed = t.format == TexelFormat::Signed;
  const double scale = is_signed ? 32767 : 65535;
  const double largest =
      static_cast<double>((std::uint64_t{1} << (t.channel_bits - (is_signed ? 1 : 0))) - 1);
  std::int64_t sum = 128;
  for (unsigned i = 0; i < 4; ++i) {
    const double v = is_signed ? static_cast<double>(static_cast<std::int32_t>(texels[i][k])) : texels[i][k];
    sum += weight[i] * std::llround(v * scale / largest);
  }
  return std::max(-1.0, static_cast<double>(sum >> 8) / scale);
}

// A one-dimensional texture is one row that is sampled at its upper edge, half way to the row above: only
// visible where the border is asked for in the second dimension.
Texel filter_linear(Sampler& s, const Texture& t, double x, double y) {
  const Weighted u = split(x), v = split(y);
  const std::array<Texel, 4> texels = {s.at(u.index, v.index), s.at(u.index + 1, v.index),
                                       s.at(u.index, v.index + 1), s.at(u.index + 1, v.index + 1)};
  // Silicon rounds the product of the two weights to 256ths; the other three follow from it.
  const int both = (u.weight * v.weight + 128) >> 8;
  const std::array<int, 4> weight = {256 - u.weight - v.weight + both, u.weight - both, v.weight - both,
                                     both};
  Texel out{};
  for (unsigned k = 0; k < t.channels; ++k) {
    double result = 0;
    if (t.format == TexelFormat::Float) {
      for (unsigned i = 0; i < 4; ++i)
        if (weight[i] != 0) result += static_cast<double>(weight[i]) / 256 * s.value(texels[i], k);
    } else {
      result = filter_integers(texels, k, weight, t);
    }
    out[k] = std::bit_cast<std::uint32_t>(static_cast<float>(result));
  }
  return out;
}

void sample(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  const bool two_d = in.tex == ptx::TexGeometry::T2d;
  const bool integer = in.src_type == Type::S32;
  const std::uint64_t* handles = w.in<std::uint64_t>(c.a);
  std::uint32_t x[kLanes], y[kLanes];
  std::copy_n(w.in<std::uint32_t>(c.b), kLanes, x);
  std::copy_n(w.in<std::uint32_t>(c.c), kLanes, y);
  const std::array<Place, 4> d = {c.d, c.extra(), Place::from_bits(c.aux()),
                                  Place::from_bits(static_cast<std::uint32_t>(c.imm))};
  Access& access = w.access();
  std::optional<TexelTrace> trace;
  if (w.context().log != nullptr) trace.emplace();
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const Texture* t = w.context().textures != nullptr ? w.context().textures->find(handles[lane]) : nullptr;
    if (t == nullptr)
      throw Error(w.image().place(w.pc() - 1),
                  fmt::format("{:#x} is not the handle of a texture object", handles[lane]));
    Sampler s(w, c, *t, lane, trace ? &*trace : nullptr);
    Texel out;
    bool as_float = t->format == TexelFormat::Float || t->normalized_values;
    if (integer) {
      // Linear memory: no filter; outside it reads zero.
      const auto ix = static_cast<std::int32_t>(x[lane]);
      const auto iy = two_d ? static_cast<std::int32_t>(y[lane]) : 0;
      const bool inside = ix >= 0 && static_cast<std::uint32_t>(ix) < t->width && iy >= 0 &&
                          static_cast<std::uint32_t>(iy) < t->height;
      out = inside ? s.at(ix, iy) : Texel{};
    } else {
      const double fx = texel_coordinate(std::bit_cast<float>(x[lane]), t->width, *t);
      const double fy = two_d ? texel_coordinate(std::bit_cast<float>(y[lane]), t->height, *t) : 0.0;
      if (t->filter == TexFilter::Linear && as_float) {
        out = filter_linear(s, *t, fx, fy);
      } else {
        out = s.at(static_cast<std::int64_t>(std::floor(fx)), static_cast<std::int64_t>(std::floor(fy)));
        if (t->normalized_values && t->format != TexelFormat::Float)
          for (unsigned k = 0; k < t->channels; ++k) out[k] = std::bit_cast<std::uint32_t>(s.value(out, k));
      }
    }
    for (unsigned k = 0; k < 4; ++k) w.out<std::uint32_t>(d[k])[lane] = out[k];
    access.bytes = t->channel_bits / 8u * t->channels;
  }
  access.space = ptx::Space::Global;
  access.write = access.atomic = false;
  access.mask = active;
  fill_inactive(access.address.data(), active);
  if (trace) trace->hand_to(w, access.bytes);
  if (w.context().count_accesses) count_access(w, c, shape_of(access.address.data(), active, access.bytes));
}

}  // namespace

bool bind_texture(const Instr& in, Binder& b, Code& c) {
  if (in.op != ptx::Op::Tex) return false;
  if (in.tex != ptx::TexGeometry::T1d && in.tex != ptx::TexGeometry::T2d)
    b.unsupported("only tex.1d and tex.2d");
  if (ptx::bits(in.type) != 32 || (in.src_type != Type::F32 && in.src_type != Type::S32))
    b.unsupported("these texel or coordinate types");
  if (in.address.kind != ptx::Operand::Kind::Reg) b.unsupported("texture references; use texture objects");
  c.a = b.place(in.address, Type::U64);
  c.b = b.place(in.src[0], in.src_type);
  c.c = in.n_src > 1 ? b.place(in.src[1], in.src_type) : c.b;
  std::array<Place, 4> d{};
  for (unsigned k = 0; k < 4; ++k)
    d[k] = b.place(k < in.n_dst ? in.dst[k] : ptx::Operand{ptx::Operand::Kind::Sink, false, 0, 0}, Type::B32);
  c.d = d[0];
  c.set_extra(d[1]);
  c.set_aux(d[2].bits());
  c.imm = d[3].bits();
  c.handler = sample;
  return true;
}

}  // namespace heddle::exec
