// Textures and surfaces (PTX manual, texture instructions and surface instructions), through objects only.
#include <fmt/format.h>

#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

constexpr Choice<TexGeometry> kGeometries[] = {
    {Mod::T1d, TexGeometry::T1d},    {Mod::T2d, TexGeometry::T2d}, {Mod::T3d, TexGeometry::T3d},
    {Mod::A1d, TexGeometry::A1d},    {Mod::A2d, TexGeometry::A2d}, {Mod::Cube, TexGeometry::Cube},
    {Mod::Acube, TexGeometry::Acube}};
constexpr Choice<CacheHint> kSurfaceHints[] = {{Mod::Ca, CacheHint::Ca}, {Mod::Cg, CacheHint::Cg},
                                               {Mod::Cs, CacheHint::Cs}, {Mod::Cv, CacheHint::Cv},
                                               {Mod::Wb, CacheHint::Wb}, {Mod::Wt, CacheHint::Wt}};
constexpr Choice<SurfaceBounds> kBounds[] = {{Mod::TrapMod, SurfaceBounds::Trap},
                                             {Mod::Clamp, SurfaceBounds::Clamp},
                                             {Mod::Zero, SurfaceBounds::Zero}};
constexpr Choice<AtomOp> kReductions[] = {{Mod::Add, AtomOp::Add},
                                          {Mod::Min, AtomOp::Min},
                                          {Mod::Max, AtomOp::Max},
                                          {Mod::And, AtomOp::And},
                                          {Mod::Or, AtomOp::Or}};
constexpr Choice<TexQuery> kQueries[] = {{Mod::Width, TexQuery::Width},
                                         {Mod::Height, TexQuery::Height},
                                         {Mod::Depth, TexQuery::Depth},
                                         {Mod::ArraySize, TexQuery::ArraySize},
                                         {Mod::MipmapLevels, TexQuery::MipmapLevels},
                                         {Mod::ChannelDataType, TexQuery::ChannelDataType},
                                         {Mod::ChannelOrder, TexQuery::ChannelOrder},
                                         {Mod::NormalizedCoords, TexQuery::NormalizedCoords}};

bool is_layered(TexGeometry g) {
  return g == TexGeometry::A1d || g == TexGeometry::A2d || g == TexGeometry::Acube;
}

// Without the layer.
std::size_t coordinate_count(TexGeometry g) {
  switch (g) {
    case TexGeometry::T1d:
    case TexGeometry::A1d:
      return 1;
    case TexGeometry::T2d:
    case TexGeometry::A2d:
      return 2;
    default:
      return 3;
  }
}

std::span<const RawOperand> list_of(Decoder& d, const RawOperand& raw) {
  return raw.kind == RawOperand::Kind::Vector ? d.children(raw) : std::span(&raw, 1);
}

void geometry(Decoder& d) {
  if (d.has(Mod::T2dms) || d.has(Mod::A2dms)) d.refuse("multi-sample textures are not supported");
  d.pick_required(kGeometries, d.in().tex, "a geometry such as .2d");
}

void destinations(Decoder& d) {
  Instr& i = d.in();
  const RawOperand& to = d.next("a destination");
  const auto result = list_of(d, to);
  if (result.size() != i.vector) d.fail_at(to, fmt::format("expected a vector of {} elements", i.vector));
  for (const RawOperand& e : result) d.add_dst(e, i.type, Decoder::Width::Wider);
}

// Three coordinates are written as a vector of four; the last one means nothing.
void add_vector(Decoder& d, const RawOperand& raw, std::size_t wanted, bool layered, Type type) {
  const auto given = list_of(d, raw);
  if (given.size() < wanted)
    d.fail_at(raw, fmt::format("expected {} coordinates, found {}", wanted, given.size()));
  for (std::size_t n = 0; n < wanted; ++n) d.add_src(given[n], layered && n == 0 ? Type::U32 : type);
}

// [object, {coordinates}]
const RawOperand& object_and_coordinates(Decoder& d, std::string_view what) {
  Instr& i = d.in();
  const RawOperand& from = d.next("[object, {coordinates}]");
  if (from.kind != RawOperand::Kind::Address || from.count < 2)
    d.fail_at(from, fmt::format("expected [{}, {{coordinates}}]", what));
  const auto parts = d.children(from);
  if (parts.size() > 2)
    d.refuse("separate samplers are not supported", "compile with the unified texture mode");
  Space space = Space::Global;
  i.address = d.address_operand(parts[0], i.offset, space);
  return parts[1];
}

void add_coordinates(Decoder& d, const RawOperand& list, Type type) {
  const TexGeometry g = d.in().tex;
  add_vector(d, list, coordinate_count(g) + (is_layered(g) ? 1 : 0), is_layered(g), type);
}

void refuse_offsets(Decoder& d) {
  if (d.left() > 0) d.refuse("offsets and depth comparisons of textures are not supported");
}

void check_texel_type(Decoder& d) {
  const Instr& i = d.in();
  const unsigned wanted = i.type == Type::F16x2 ? 2 : 4;
  if (i.vector != wanted)
    d.refuse(fmt::format("texels of .{} are vectors of {} elements", name(i.type), wanted));
}

}  // namespace

// tex.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}];
// tex.level.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}], level;
// tex.grad.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}], {dx/dX, dy/dX}, {dx/dY, dy/dY};
void decode_tex(Decoder& d, const Root&) {
  static constexpr Choice<TexMip> kMips[] = {
      {Mod::Base, TexMip::Base}, {Mod::Level, TexMip::Level}, {Mod::Grad, TexMip::Grad}};
  Instr& i = d.in();
  d.pick(kMips, i.tex_mip);
  geometry(d);
  d.vector_width();
  i.type = d.type({Type::U32, Type::S32, Type::F32, Type::F16, Type::F16x2});
  i.src_type = d.type({Type::S32, Type::F32});
  check_texel_type(d);
  destinations(d);
  add_coordinates(d, object_and_coordinates(d, "texture"), i.src_type);
  if (i.tex_mip == TexMip::Level) {
    d.src(i.src_type);
  } else if (i.tex_mip == TexMip::Grad) {
    for (int n = 0; n < 2; ++n)
      add_vector(d, d.next("a gradient"), coordinate_count(i.tex), false, Type::F32);
  }
  refuse_offsets(d);
}

// tld4.r.2d.v4.f32.f32 {a, b, c, d}, [texture, {x, y}];
void decode_tld4(Decoder& d, const Root&) {
  static constexpr Choice<std::uint8_t> kComponents[] = {
      {Mod::Right, 0}, {Mod::Green, 1}, {Mod::LetterB, 2}, {Mod::LetterA, 3}};
  Instr& i = d.in();
  d.pick_required(kComponents, i.component, "one of .r, .g, .b and .a");
  geometry(d);
  const bool flat = i.tex != TexGeometry::T1d && i.tex != TexGeometry::A1d && i.tex != TexGeometry::T3d;
  if (!flat) d.fail(fmt::format("{}: four texels are gathered in two dimensions", d.fmt_opcode()));
  d.vector_width();
  i.type = d.type({Type::U32, Type::S32, Type::F32});
  i.src_type = d.type({Type::F32});
  check_texel_type(d);
  destinations(d);
  add_coordinates(d, object_and_coordinates(d, "texture"), i.src_type);
  refuse_offsets(d);
}

// txq.width.b32 d, [texture]; txq.level.width.b32 d, [texture], level; suq.width.b32 d, [surface];
void decode_txq(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (r.name == "txq" && d.take(Mod::Level)) i.tex_mip = TexMip::Level;
  d.pick_required(kQueries, i.tex_query, "a query such as .width");
  i.type = d.type({Type::B32, Type::U32, Type::S32});
  d.dst(i.type);
  i.space = Space::Global;
  d.address();
  if (i.tex_mip == TexMip::Level) d.src(Type::S32);
}

// suld.b.2d.v4.b32.trap {r, g, b, a}, [surface, {x, y}]; sust.b.2d.v4.b32.trap [surface, {x, y}], {r, g, b,
// a}; sured.b.add.2d.u32.trap [surface, {x, y}], v; x counts bytes.
void decode_surface(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (d.has(Mod::Formatted)) d.refuse("formatted surface accesses (.p) are not supported");
  if (!d.take(Mod::LetterB)) d.fail_missing(".b");
  geometry(d);
  if (i.tex == TexGeometry::Cube || i.tex == TexGeometry::Acube)
    d.fail(fmt::format("{}: surfaces are not accessed as cubes", d.fmt_opcode()),
           "A cube's faces are the layers of .a2d.");
  d.pick(kSurfaceHints, i.cache);
  d.pick_required(kBounds, i.bounds, "one of .trap, .clamp and .zero");
  if (r.op == Op::Sured) {
    d.pick_required(kReductions, i.atom, "an operation such as .add");
    i.type = d.type({Type::U32, Type::U64, Type::S32, Type::B32, Type::S64});
  } else {
    d.vector_width();
    i.type = d.type({Type::B8, Type::B16, Type::B32, Type::B64});
    if (bytes(i.type) * i.vector > 16) d.fail(fmt::format("{}: at most 16 bytes", d.fmt_opcode()));
  }
  i.space = Space::Global;
  if (r.op == Op::Suld) {
    destinations(d);
    add_coordinates(d, object_and_coordinates(d, "surface"), Type::S32);
    return;
  }
  const RawOperand& coordinates = object_and_coordinates(d, "surface");
  const RawOperand& from = d.next("a value to store");
  const auto values = list_of(d, from);
  if (values.size() != i.vector) d.fail_at(from, fmt::format("expected a vector of {} elements", i.vector));
  for (const RawOperand& v : values) d.add_src(v, i.type, Decoder::Width::Wider);
  add_coordinates(d, coordinates, Type::S32);
}

}  // namespace heddle::ptx
