// Arithmetic.
#include <fmt/format.h>

#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

Type widen(Type t) {
  switch (t) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    case Type::S32:
      return Type::S64;
    default:
      return Type::None;
  }
}

// addc, subc, madc read the carry that their plain forms write with .cc.
bool reads_carry(std::string_view root) {
  return root == "addc" || root == "subc" || root == "madc";
}

void check_modifiers(Decoder& d, Type t) {
  const Instr& i = d.in();
  if (!is_float(t) && (i.round != Round::None || i.ftz || i.approx || i.full || i.nan || i.xorsign_abs))
    d.fail(fmt::format("{} has a floating-point modifier but the type .{}", d.fmt_opcode(), name(t)));
  if (i.carry_out && (is_float(t) || bits(t) < 32 || t == Type::U16x2 || t == Type::S16x2))
    d.fail(fmt::format("{}: .cc goes with 32-bit and 64-bit integers", d.fmt_opcode()));
  if (i.sat && t != Type::S32 && t != Type::F32 && t != Type::F16 && t != Type::F16x2)
    d.fail(fmt::format("{}: .sat goes with .s32, .f32 and .f16", d.fmt_opcode()));
  if (i.ftz && t != Type::F32 && t != Type::F16 && t != Type::F16x2)
    d.fail(fmt::format("{}: .ftz goes with .f32 and .f16", d.fmt_opcode()));
  if ((i.nan || i.xorsign_abs) && t == Type::F64)
    d.fail(fmt::format("{}: .NaN and .xorsign.abs do not go with .f64", d.fmt_opcode()));
  if (i.round >= Round::Rna ||
      (i.round != Round::None && i.round != Round::Rn && t != Type::F32 && t != Type::F64))
    d.fail(fmt::format("{}: this rounding does not go with .{}", d.fmt_opcode(), name(t)));
  if (i.relu && t != Type::S32 && t != Type::S16x2 && (bits(t) > 32 || !is_float(t) || t == Type::F32))
    d.fail(fmt::format("{}: .relu goes with .s32, .s16x2, .f16 and .bf16", d.fmt_opcode()));
}

}  // namespace

// d = op(a, b, ...), all of one type.
void decode_arith(Decoder& d, const Root& r) {
  Instr& i = d.in();
  d.flags(r.allow);
  i.type = d.type(r.types);
  i.carry_in = reads_carry(r.name);
  if ((r.allow & kHalf) != 0) d.half(true);
  check_modifiers(d, i.type);
  if (r.op == Op::Fma && i.round == Round::None) d.fail_missing("a rounding such as .rn");
  d.dst(i.type);
  for (int n = 0; n < r.sources; ++n) d.src(i.type);
  if (d.left() > 0 && (r.op == Op::Min || r.op == Op::Max))
    d.refuse("three-input min and max are not supported");
}

// mul, mad, madc: integers take the low or high half, or a product of twice the width.
void decode_mul(Decoder& d, const Root& r) {
  Instr& i = d.in();
  d.flags(r.allow);
  i.type = d.type(r.types);
  i.carry_in = reads_carry(r.name);
  if (is_float(i.type)) {
    if (i.carry_in) d.refuse("madc takes integers only");
    if (r.op == Op::Mad) i.op = Op::Fma;  // since sm_20 mad on floating point is the fused operation
  } else {
    d.half(true);
  }
  check_modifiers(d, i.type);
  const Type wide = i.half == Half::Wide ? widen(i.type) : i.type;
  if (wide == Type::None) d.fail(fmt::format("{}: .wide takes 16-bit and 32-bit integers", d.fmt_opcode()));
  d.dst(wide);
  d.src(i.type);
  d.src(i.type);
  if (r.sources == 3) d.src(wide);
}

void decode_div(Decoder& d, const Root& r) {
  Instr& i = d.in();
  d.flags(r.allow);
  i.type = d.type(r.types);
  check_modifiers(d, i.type);
  if (is_float(i.type) && i.round == Round::None && !i.approx && !i.full)
    d.fail_missing("one of .rn, .rz, .rm, .rp, .approx and .full");
  if (i.type == Type::F64 && (i.approx || i.full))
    d.fail(fmt::format("{}: .f64 is divided with .rn", d.fmt_opcode()));
  d.dst(i.type);
  d.src(i.type);
  d.src(i.type);
}

// rcp, sqrt, rsqrt, sin, cos, ex2, lg2, tanh: approximate or rounded.
void decode_special_function(Decoder& d, const Root& r) {
  Instr& i = d.in();
  d.flags(r.allow);
  i.type = d.type(r.types);
  if (!i.approx && i.round == Round::None)
    d.fail_missing((r.allow & kRound) != 0 ? "a rounding or .approx" : ".approx");
  if (i.approx && i.round != Round::None)
    d.fail(fmt::format("{} has a rounding and .approx", d.fmt_opcode()));
  if (i.ftz && i.type == Type::F64 && !i.approx)
    d.fail(fmt::format("{}: .ftz goes with .f64 only where it is .approx", d.fmt_opcode()));
  d.dst(i.type);
  d.src(i.type);
}

void decode_testp(Decoder& d, const Root& r) {
  static constexpr Choice<TestpOp> kOps[] = {
      {Mod::Finite, TestpOp::Finite}, {Mod::Infinite, TestpOp::Infinite},
      {Mod::Number, TestpOp::Number}, {Mod::Notanumber, TestpOp::NotANumber},
      {Mod::Normal, TestpOp::Normal}, {Mod::Subnormal, TestpOp::Subnormal}};
  Instr& i = d.in();
  d.pick_required(kOps, i.testp, "a test such as .finite");
  i.type = d.type(r.types);
  d.dst(Type::Pred);
  d.src(i.type);
}

void decode_dot_product(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (r.op == Op::Dp2a) {
    d.half(true);
    if (i.half == Half::Wide) d.fail("dp2a takes .lo or .hi");
  }
  i.src_type = d.type(r.types);
  i.src_type2 = d.type(r.types);
  i.type = is_signed(i.src_type) || is_signed(i.src_type2) ? Type::S32 : Type::U32;
  d.dst(i.type);
  d.src(Type::B32);
  d.src(Type::B32);
  d.src(i.type);
}

void decode_vabsdiff(Decoder& d, const Root& r) {
  Instr& i = d.in();
  i.sat = d.take(Mod::Sat);
  i.accumulate = d.take(Mod::Add);
  i.type = d.type(r.types);
  i.src_type = d.type(r.types);
  i.src_type2 = d.type(r.types);
  for (std::size_t n = 0; n < d.left(); ++n)
    if ((&d.peek())[n].text.find('.') != std::string_view::npos)
      d.refuse("lane selectors and masks of video instructions are not supported");
  d.dst(i.type);
  d.src(i.src_type);
  d.src(i.src_type2);
  d.src(i.type);
}

}  // namespace heddle::ptx
