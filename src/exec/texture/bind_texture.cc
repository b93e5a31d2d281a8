// tex, tld4, txq and suq.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/alu/convert.h"
#include "exec/texture/bind.h"
#include "exec/texture/texture_operands.h"
#include "exec/texture/texture_sampler.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::TexGeometry;
using ptx::TexMip;
using ptx::Type;

bool has_layer(TexGeometry g) {
  return g == TexGeometry::A1d || g == TexGeometry::A2d || g == TexGeometry::Acube;
}

unsigned coordinates_of(TexGeometry g) {
  return g == TexGeometry::T1d || g == TexGeometry::A1d   ? 1
         : g == TexGeometry::T2d || g == TexGeometry::A2d ? 2
                                                          : 3;
}

// One lane's sources.
class LaneOperands {
 public:
  LaneOperands(const Warp& w, const Code& c, unsigned lane) : warp_(w), operands_(w, c), lane_(lane) {}

  std::uint64_t handle() const { return warp_.in<std::uint64_t>(operands_.handle())[lane_]; }
  std::uint32_t next_bits() { return warp_.in<std::uint32_t>(operands_.source(next_++))[lane_]; }
  float next_float() { return std::bit_cast<float>(next_bits()); }

  TexturePoint point(const Instr& in) {
    TexturePoint p;
    p.geometry = in.tex;
    if (has_layer(in.tex)) p.layer = next_bits();
    const unsigned n = coordinates_of(in.tex);
    for (unsigned i = 0; i < n; ++i) p.at[i] = next_float();
    if (in.tex_mip == TexMip::Level) p.level = next_float();
    p.has_gradient = in.tex_mip == TexMip::Grad;
    if (p.has_gradient) {
      for (unsigned i = 0; i < n; ++i) p.dx[i] = next_float();
      for (unsigned i = 0; i < n; ++i) p.dy[i] = next_float();
    }
    return p;
  }

  TexelValues fetch(const Instr& in, TexelReader& reader, const Texture& t) {
    const std::uint32_t layer = has_layer(in.tex) ? next_bits() : 0;
    std::array<std::int32_t, 3> at{};
    for (unsigned i = 0; i < coordinates_of(in.tex); ++i) at[i] = static_cast<std::int32_t>(next_bits());
    const std::int32_t level = in.tex_mip == TexMip::Level ? static_cast<std::int32_t>(next_bits()) : 0;
    return fetch_texel(reader, t, in.tex, layer, at, level);
  }

 private:
  const Warp& warp_;
  TextureOperands operands_;
  unsigned lane_, next_ = 0;
};

void round_to_half(TexelValues& out, Type type) {
  for (std::uint32_t& v : out) v = alu::f32_to_f16(std::bit_cast<float>(v));
  if (type == Type::F16x2) out = {out[0] | out[1] << 16, out[2] | out[3] << 16, 0, 0};
}

void read_texture(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  if (w.context().log != nullptr && may_lack_operands(w, in)) {
    w.retry(active);
    return;
  }
  const TextureOperands operands(w, c);
  TexelReader reader(w, c);
  for (Mask m = active; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    LaneOperands o(w, c, lane);
    const Texture& t = reader.begin(lane, o.handle());
    TexelValues out = in.src_type == Type::S32 ? o.fetch(in, reader, t)
                      : in.op == Op::Tld4      ? gather_texels(reader, t, o.point(in), in.component)
                                               : sample_texture(reader, t, o.point(in));
    if (ptx::bits(in.type) == 16 || in.type == Type::F16x2) round_to_half(out, in.type);
    for (unsigned k = 0; k < in.n_dst; ++k) w.out<std::uint32_t>(operands.value(k))[lane] = out[k];
  }
  reader.finish();
}

// The numbers are OpenCL's, as the PTX manual says.
std::uint32_t channel_type(const Texture& t) {
  const unsigned size = t.channel_bits == 8 ? 0 : t.channel_bits == 16 ? 1 : 2;
  if (t.format == TexelFormat::Float) return t.channel_bits == 16 ? 0x10dd : 0x10de;
  const bool is_signed = t.format == TexelFormat::Signed;
  if (t.normalized_values) return (is_signed ? 0x10d0u : 0x10d2u) + size;
  return (is_signed ? 0x10d7u : 0x10dau) + size;
}

std::uint32_t answer(const Texture& t, ptx::TexQuery query, std::uint32_t level) {
  const TexelBox box = mip_level(t, std::min<std::uint32_t>(level, t.levels - 1u));
  switch (query) {
    case ptx::TexQuery::Width:
      return box.width;
    case ptx::TexQuery::Height:
      return box.height;
    case ptx::TexQuery::Depth:
      return t.layered || t.cube ? 1 : box.depth;
    case ptx::TexQuery::ArraySize:
      return !t.layered ? 1 : t.cube ? box.depth / 6 : box.depth;
    case ptx::TexQuery::MipmapLevels:
      return t.levels;
    case ptx::TexQuery::ChannelDataType:
      return channel_type(t);
    case ptx::TexQuery::ChannelOrder:
      return t.channels == 1 ? 0x10b0 : t.channels == 2 ? 0x10b2 : 0x10b5;
    case ptx::TexQuery::NormalizedCoords:
      return t.normalized_coordinates ? 1 : 0;
    case ptx::TexQuery::None:
      break;
  }
  return 0;
}

void query_object(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  const TextureOperands operands(w, c);
  const TextureTable* const table = w.context().textures;
  for (Mask m = active; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    LaneOperands o(w, c, lane);
    const Texture* t = table != nullptr ? table->find(o.handle()) : nullptr;
    if (t == nullptr)
      throw Error(w.image().place(w.pc() - 1),
                  fmt::format("{:#x} is not the handle of a texture or surface object", o.handle()));
    const std::uint32_t level = in.tex_mip == TexMip::Level ? o.next_bits() : 0;
    w.out<std::uint32_t>(operands.value(0))[lane] = answer(*t, in.tex_query, level);
  }
}

}  // namespace

bool bind_texture(const Instr& in, Binder& b, Code& c) {
  if (in.op != Op::Tex && in.op != Op::Tld4 && in.op != Op::Txq) return false;
  std::array<Place, TextureOperands::kValues> d{};
  for (unsigned k = 0; k < in.n_dst; ++k) {
    if (in.dst[k].kind == ptx::Operand::Kind::Reg && ptx::bits(b.register_type(in.dst[k])) > 32)
      b.unsupported("texels in 64-bit registers");
    d[k] = b.place(in.dst[k], Type::B32);
  }
  if (in.src_type == Type::S32 && (in.tex == TexGeometry::Cube || in.tex == TexGeometry::Acube))
    b.unsupported("integer coordinates of a cube map");
  TextureOperands::bind(in, b, c, std::span(d).first(in.n_dst), 0);
  c.handler = in.op == Op::Txq ? query_object : read_texture;
  return true;
}

}  // namespace heddle::exec
