// Comparison, selection, moves and conversions.
#include <fmt/format.h>

#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

// clang-format off
constexpr Choice<Cmp> kComparisons[] = {
    {Mod::Eq, Cmp::Eq}, {Mod::Ne, Cmp::Ne}, {Mod::Lt, Cmp::Lt}, {Mod::Le, Cmp::Le}, {Mod::Gt, Cmp::Gt},
    {Mod::Ge, Cmp::Ge}, {Mod::Lo, Cmp::Lo}, {Mod::Ls, Cmp::Ls}, {Mod::Hi, Cmp::Hi}, {Mod::Hs, Cmp::Hs},
    {Mod::Equ, Cmp::Equ}, {Mod::Neu, Cmp::Neu}, {Mod::Ltu, Cmp::Ltu}, {Mod::Leu, Cmp::Leu}, {Mod::Gtu, Cmp::Gtu},
    {Mod::Geu, Cmp::Geu}, {Mod::Num, Cmp::Num}, {Mod::Nan, Cmp::Nan}};
// clang-format on
constexpr Choice<BoolOp> kBoolOps[] = {
    {Mod::And, BoolOp::And}, {Mod::Or, BoolOp::Or}, {Mod::Xor, BoolOp::Xor}};

constexpr TypeSet kCompared = {Type::B16,   Type::B32,  Type::B64,    Type::U16, Type::U32,
                               Type::U64,   Type::S16,  Type::S32,    Type::S64, Type::F16,
                               Type::F16x2, Type::BF16, Type::BF16x2, Type::F32, Type::F64};

void check_comparison(Decoder& d, Cmp cmp, Type t) {
  const bool bit_type = t >= Type::B8 && t <= Type::B128;
  if (bit_type && cmp != Cmp::Eq && cmp != Cmp::Ne)
    d.fail(fmt::format("{}: .b types are compared with .eq and .ne only", d.fmt_opcode()));
  if (d.in().ftz && t != Type::F32 && t != Type::F16 && t != Type::F16x2)
    d.fail(fmt::format("{}: .ftz goes with .f32 and .f16", d.fmt_opcode()));
  if (cmp >= Cmp::Equ && !is_float(t))
    d.fail(fmt::format("{} compares floating-point values, but the type is .{}", d.fmt_opcode(), name(t)));
  if (cmp >= Cmp::Lo && cmp <= Cmp::Hs && (is_float(t) || is_signed(t)))
    d.fail(fmt::format("{} compares unsigned values, but the type is .{}", d.fmt_opcode(), name(t)));
}

void compared_sources(Decoder& d, Type t) {
  d.src(t);
  d.src(t);
  if (d.in().bool_op != BoolOp::None) d.src(Type::Pred);
}

bool is_integer(Type t) {
  return t >= Type::U8 && t <= Type::S64;
}
bool is_packed(Type t) {
  return t == Type::F16x2 || t == Type::BF16x2;
}

constexpr TypeSet kConverted = {Type::U8,  Type::U16, Type::U32,   Type::U64,   Type::S8,
                                Type::S16, Type::S32, Type::S64,   Type::F16,   Type::BF16,
                                Type::F32, Type::F64, Type::F16x2, Type::BF16x2};

// Which rounding a conversion must, may or must not name (PTX manual, cvt).
void check_rounding(Decoder& d) {
  const Instr& i = d.in();
  const bool to_int = is_integer(i.type), from_int = is_integer(i.src_type);
  const bool integral = i.round >= Round::Rni;
  const bool rounded = i.round != Round::None;
  if (to_int && from_int && rounded) d.fail(fmt::format("{}: integers are not rounded", d.fmt_opcode()));
  if (to_int && !from_int && !integral) d.fail_missing("an integer rounding such as .rzi");
  if (!to_int && from_int && (!rounded || integral)) d.fail_missing("a rounding such as .rn");
  if (!to_int && !from_int && bits(i.type) < bits(i.src_type) && (!rounded || integral))
    d.fail_missing("a rounding such as .rn");
  const bool single = i.type == Type::F32 || i.src_type == Type::F32;
  if (i.ftz && !single) d.fail(fmt::format("{}: .ftz goes with .f32", d.fmt_opcode()));
  if (i.type == Type::TF32 && (i.src_type != Type::F32 || !rounded || integral))
    d.fail_missing("a rounding such as .rna, from .f32");
  const bool small_float = bits(i.type) == 16 || i.type == Type::TF32;
  if (i.relu && (to_int || from_int || !small_float || i.src_type != Type::F32))
    d.fail(fmt::format("{}: .relu goes with conversions from .f32 to .f16, .bf16 and .tf32", d.fmt_opcode()));
  if (i.round == Round::Rna && i.type != Type::BF16 && i.type != Type::TF32)
    d.refuse("the rounding .rna is not supported here");
}

// Two .f32, or a pair of .f16, to a pair of bytes; or back to .f16.
void cvt_bytes(Decoder& d) {
  Instr& i = d.in();
  const bool narrows = is_pair_of_bytes(i.type);
  const Type other = narrows ? i.src_type : i.type;
  if (other != Type::F16x2 && !(narrows && other == Type::F32))
    d.refuse(
        fmt::format("there is no conversion from .{} to .{} before sm_100", name(i.src_type), name(i.type)));
  if (i.round != Round::Rn) d.fail_missing(".rn");
  if (narrows && !d.take(Mod::Satfinite)) d.fail_missing(".satfinite");
  i.satfinite = narrows;
  if (i.ftz || i.sat) d.fail(fmt::format("{}: .ftz and .sat do not go with 8-bit values", d.fmt_opcode()));
  if (other == Type::F32) i.op = Op::CvtPack;
  d.dst(narrows ? Type::B16 : Type::B32);
  d.src(!narrows ? Type::B16 : other == Type::F32 ? Type::F32 : Type::B32);
  if (other == Type::F32) d.src(Type::F32);
}

// The source of mov that is a variable or a function: its address.
bool mov_symbol(Decoder& d, const RawOperand& raw, Type t) {
  if (raw.kind != RawOperand::Kind::Name || raw.negated || d.has_pair(raw)) return false;
  const auto entry = d.find(raw);
  if (!entry || entry->kind != NameEntry::Kind::Symbol) return false;
  if (bits(t) != 64 && bits(t) != 32)
    d.fail_at(raw, fmt::format("the address of '{}' does not fit in type .{}", raw.text, name(t)));
  Instr& i = d.in();
  i.src[i.n_src++] = d.symbol_operand(raw, entry->index);
  return true;
}

Type element_of(Decoder& d, const RawOperand& vector, Type t) {
  const unsigned n = vector.count;
  const unsigned width = n == 2 || n == 4 || n == 8 ? bits(t) / n : 0;
  switch (width) {
    case 8:
      return Type::B8;
    case 16:
      return Type::B16;
    case 32:
      return Type::B32;
    default:
      d.fail_at(vector, fmt::format("a .{} value cannot be split in {} parts", name(t), n));
  }
}

void mov_vector(Decoder& d, Type t) {
  Instr& i = d.in();
  const RawOperand& to = d.next("a destination");
  const RawOperand& from = d.next("a source");
  const bool unpack = to.kind == RawOperand::Kind::Vector;
  const RawOperand& vector = unpack ? to : from;
  if (unpack && from.kind == RawOperand::Kind::Vector)
    d.fail_at(from, "mov cannot copy a vector to a vector");
  if (vector.count > 4) d.refuse("vectors of more than four elements are not supported");
  i.op = unpack ? Op::Unpack : Op::Pack;
  i.vector = static_cast<std::uint8_t>(vector.count);
  i.src_type = element_of(d, vector, t);
  const auto width = i.src_type == Type::B8 ? Decoder::Width::Wider : Decoder::Width::Exact;
  if (unpack) {
    for (const RawOperand& e : d.children(vector)) d.add_dst(e, i.src_type, width);
    d.add_src(from, t);
  } else {
    d.add_dst(to, t);
    for (const RawOperand& e : d.children(vector)) d.add_src(e, i.src_type, width);
  }
}

}  // namespace

void decode_setp(Decoder& d, const Root&) {
  Instr& i = d.in();
  d.pick_required(kComparisons, i.cmp, "a comparison such as .lt");
  d.pick(kBoolOps, i.bool_op);
  i.ftz = d.take(Mod::Ftz);
  i.type = d.type(kCompared);
  check_comparison(d, i.cmp, i.type);
  d.dst_pair(Type::Pred, Type::Pred, is_packed(i.type));
  compared_sources(d, i.type);
}

void decode_set(Decoder& d, const Root&) {
  Instr& i = d.in();
  d.pick_required(kComparisons, i.cmp, "a comparison such as .lt");
  d.pick(kBoolOps, i.bool_op);
  i.ftz = d.take(Mod::Ftz);
  i.type = d.type({Type::U32, Type::S32, Type::F32, Type::U16, Type::S16, Type::F16, Type::BF16, Type::F16x2,
                   Type::BF16x2});
  i.src_type = d.type(kCompared);
  check_comparison(d, i.cmp, i.src_type);
  const bool short_int = i.type == Type::U16 || i.type == Type::S16;
  const bool half_source = i.src_type == Type::F16 || i.src_type == Type::BF16;
  if ((is_packed(i.type) && i.type != i.src_type) || (bits(i.type) == 16 && is_packed(i.src_type)) ||
      (short_int && !half_source))
    d.fail(fmt::format("{}: .{} sources do not give a .{} result", d.fmt_opcode(), name(i.src_type),
                       name(i.type)));
  d.dst(i.type);
  compared_sources(d, i.src_type);
}

void decode_selp(Decoder& d, const Root& r) {
  Instr& i = d.in();
  i.type = d.type(r.types);
  d.dst(i.type);
  d.src(i.type);
  d.src(i.type);
  d.src(Type::Pred);
}

void decode_slct(Decoder& d, const Root& r) {
  Instr& i = d.in();
  i.ftz = d.take(Mod::Ftz);
  i.type = d.type(r.types);
  i.src_type = d.type({Type::S32, Type::F32});
  d.dst(i.type);
  d.src(i.type);
  d.src(i.type);
  d.src(i.src_type);
}

void decode_mov(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (d.has(Mod::V2) || d.has(Mod::V4)) d.refuse("mov of vectors is not supported");
  i.type = d.type(r.types);
  bool vector = false;
  for (std::size_t n = 0; n < d.left(); ++n) vector |= (&d.peek())[n].kind == RawOperand::Kind::Vector;
  if (vector) return mov_vector(d, i.type);
  d.dst(i.type);
  const RawOperand& from = d.next("a source");
  if (!mov_symbol(d, from, i.type)) d.add_src(from, i.type, Decoder::Width::Exact, true);
}

void decode_cvt(Decoder& d, const Root& r) {
  constexpr TypeSet kBytes = {Type::E4M3x2, Type::E5M2x2};
  Instr& i = d.in();
  if (d.has(Mod::LaterFormat))
    d.refuse("formats and roundings of sm_100 and later are not supported", "compile for compute_90");
  d.flags(r.allow);
  i.type = d.type(kConverted | kBytes | TypeSet{Type::TF32});
  i.src_type = d.type(kConverted | kBytes);
  if (is_pair_of_bytes(i.type) || is_pair_of_bytes(i.src_type)) return cvt_bytes(d);
  const bool small_float =
      is_packed(i.type) || i.type == Type::BF16 || i.type == Type::F16 || i.type == Type::TF32;
  if (small_float && i.src_type == Type::F32) i.satfinite = d.take(Mod::Satfinite);
  if (is_packed(i.type)) {
    if (i.src_type != Type::F32 || (i.round != Round::Rn && i.round != Round::Rz))
      d.refuse("only cvt.rn and cvt.rz from .f32 make packed values");
    i.op = Op::CvtPack;
    d.dst(i.type);
    d.src(Type::F32);
    d.src(Type::F32);
    return;
  }
  if (is_packed(i.src_type)) d.refuse("conversion from packed values is not supported");
  check_rounding(d);
  d.dst(i.type, Decoder::Width::Wider);
  d.add_src(d.next("a source"), i.src_type, Decoder::Width::Wider, true);
}

void decode_cvta(Decoder& d, const Root&) {
  Instr& i = d.in();
  i.to_space = d.take(Mod::To);
  d.space();
  if (i.space == Space::Generic) d.fail_missing("a state space such as .global");
  i.type = d.type({Type::U64, Type::U32});
  d.dst(i.type);
  const RawOperand& from = d.next("an address");
  if (!mov_symbol(d, from, i.type)) d.add_src(from, i.type);
}

void decode_isspacep(Decoder& d, const Root&) {
  Instr& i = d.in();
  d.space();
  if (i.space == Space::Generic) d.fail_missing("a state space such as .global");
  d.dst(Type::Pred);
  i.type = Type::B64;
  d.src(Type::B64);
}

}  // namespace heddle::ptx
