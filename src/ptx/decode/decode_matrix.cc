// Tensor-core instructions: wmma, mma.sync, ldmatrix, stmatrix, movmatrix.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

constexpr TypeSet kIntegers = {Type::S8, Type::U8, Type::S4, Type::U4, Type::B1};
constexpr TypeSet kFactors = kIntegers | TypeSet{Type::F16, Type::BF16, Type::TF32, Type::F64};
constexpr TypeSet kSums = {Type::F16, Type::F32, Type::F64, Type::S32};

void sync_aligned(Decoder& d) {
  if (!d.take(Mod::Sync)) d.fail_missing(".sync");
  if (!d.take(Mod::Aligned)) d.fail_missing(".aligned");
}

MatrixShape shape(Decoder& d) {
  const MatrixShape s = parse_shape(d.take_shape());
  if (s.m == 0) d.fail_missing("a shape such as .m16n8k16");
  return s;
}

// {a, b, ...}, or one register without braces.
std::span<const RawOperand> list(Decoder& d, const RawOperand& raw, unsigned count) {
  const auto items = raw.kind == RawOperand::Kind::Vector ? d.children(raw) : std::span(&raw, 1);
  if (items.size() != count)
    d.fail_at(raw, fmt::format("expected a vector of {} registers as operand of {}, found {}", count,
                               d.fmt_opcode(), items.size()));
  return items;
}

unsigned registers(FragmentPart part, MatrixShape s, Type element, bool wmma) {
  if (wmma && part != FragmentPart::C && element == Type::F16) return 8;
  return distinct_registers(part, s, element);
}

// The next operand as the registers of a fragment; the instruction's own lists are too short for them.
void fragment(Decoder& d, Fragment& f, FragmentPart part, const MatrixInstr& m, Type element, bool wmma,
              bool written) {
  Instr& i = d.in();
  const Type reg = fragment_register(part, element);
  for (const RawOperand& e : list(d, d.next("a fragment"), registers(part, m.shape, element, wmma))) {
    Operand& to = f.reg[f.count++];
    if (written) {
      d.add_dst(e, reg);
      std::swap(to, i.dst[--i.n_dst]);
    } else {
      d.add_src(e, reg);
      std::swap(to, i.src[--i.n_src]);
    }
  }
}

void check_sums(Decoder& d, const MatrixInstr& m) {
  const Type a = m.a_type;
  const bool integer = kIntegers.has(a);
  const Type wanted = integer ? Type::S32 : a == Type::F64 ? Type::F64 : Type::F32;
  for (const Type t : {m.c_type, m.d_type})
    if (t != wanted && !(a == Type::F16 && t == Type::F16))
      d.fail(fmt::format("{}: products of .{} are summed as .{}, found .{}", d.fmt_opcode(), name(a),
                         name(wanted), name(t)));
  const bool same_kind = integer ? kIntegers.has(m.b_type) && bits(a) == bits(m.b_type) : a == m.b_type;
  if (!same_kind)
    d.fail(fmt::format("{}: .{} and .{} cannot be multiplied", d.fmt_opcode(), name(a), name(m.b_type)));
}

void product_modifiers(Decoder& d, MatrixInstr& m) {
  const bool integer = kIntegers.has(m.a_type);
  if (integer && m.a_type != Type::B1) m.satfinite = d.take(Mod::Satfinite);
  if (m.a_type == Type::F64) d.take(Mod::Rn);  // the only rounding that is supported
  if (m.a_type == Type::B1) {
    static constexpr Choice<BoolOp> kBitOps[] = {{Mod::And, BoolOp::And}, {Mod::Xor, BoolOp::Xor}};
    d.pick_required(kBitOps, m.bit_op, "one of .and.popc and .xor.popc");
    if (!d.take(Mod::Popc)) d.fail_missing(".popc");
  }
}

// d, a, b, c behind the opcode of wmma.mma or mma.sync
void decode_product(Decoder& d, bool wmma) {
  MatrixInstr m;
  sync_aligned(d);
  const bool row = d.take(Mod::Row), col = d.take(Mod::Col);
  m.shape = shape(d);
  m.d_type = d.type(kSums);
  const Type second = d.type(kFactors | kSums);
  const Type third = d.take_type();
  if (third == Type::None && wmma) {  // f16 is not written
    m.a_type = m.b_type = Type::F16;
    m.c_type = second;
  } else {
    m.a_type = second;
    m.b_type = third;
    m.c_type = d.type(kSums);
  }
  product_modifiers(d, m);
  d.refuse_unused();
  if (!row && !col) d.fail_missing("the layouts of a and b, such as .row.col");
  if (!(wmma ? is_wmma_shape(m.shape, m.a_type) : is_mma_shape(m.shape, m.a_type)))
    d.refuse("this shape is not supported for these types");
  if (!wmma && !(row && col)) d.fail_missing(".row.col");
  check_sums(d, m);
  fragment(d, m.d, FragmentPart::C, m, m.d_type, wmma, true);
  fragment(d, m.a, FragmentPart::A, m, m.a_type, wmma, false);
  fragment(d, m.b, FragmentPart::B, m, m.b_type, wmma, false);
  fragment(d, m.c, FragmentPart::C, m, m.c_type, wmma, false);
  d.in().type = m.d_type;
  d.add_matrix(m);
}

// wmma.load.a d, [p]{, stride} and wmma.store.d [p], d{, stride}
void decode_transfer(Decoder& d, bool load) {
  static constexpr Choice<FragmentPart> kLoaded[] = {
      {Mod::LetterA, FragmentPart::A}, {Mod::LetterB, FragmentPart::B}, {Mod::LetterC, FragmentPart::C}};
  MatrixInstr m;
  Instr& i = d.in();
  i.op = load ? Op::WmmaLoad : Op::WmmaStore;
  if (load)
    d.pick_required(kLoaded, m.part, "one of .a, .b and .c");
  else if (!d.take(Mod::LetterD))
    d.fail_missing(".d");
  sync_aligned(d);
  const bool row = d.take(Mod::Row);
  m.column_major = d.take(Mod::Col);
  if (row == m.column_major) d.fail_missing("one of .row and .col");
  m.shape = shape(d);
  d.space();
  m.a_type = d.type(m.part == FragmentPart::C ? kSums : kFactors);
  d.refuse_unused();
  bool known = false;
  for (const Type t : {Type::F16, Type::BF16, Type::TF32, Type::F64, Type::S8, Type::S4, Type::B1})
    known |= is_wmma_shape(m.shape, t);
  if (!known || (m.part != FragmentPart::C && !is_wmma_shape(m.shape, m.a_type)))
    d.refuse("this shape is not supported for this type");
  if (bits(m.a_type) < 8 && m.column_major != (m.part == FragmentPart::B))
    d.fail(fmt::format("{}: elements of less than a byte need a row-major a and a column-major b",
                       d.fmt_opcode()));
  if (load) {
    fragment(d, m.d, m.part, m, m.a_type, true, true);
    d.address();
  } else {
    d.address();
    fragment(d, m.c, m.part, m, m.a_type, true, false);
  }
  if (i.space != Space::Global && i.space != Space::Shared && i.space != Space::Generic)
    d.fail(fmt::format("{} accesses .global and .shared memory", d.fmt_opcode()));
  if (d.left() > 0) d.src(Type::U32);
  i.type = m.a_type;
  d.add_matrix(m);
}

// .m8n8.x4.trans.shared.b16 of ldmatrix and stmatrix; they reach shared memory only, whatever is written.
void matrix_modifiers(Decoder& d) {
  Instr& i = d.in();
  sync_aligned(d);
  const MatrixShape s = shape(d);
  i.transpose = d.take(Mod::Trans);
  i.vector = d.take(Mod::X4) ? 4 : d.take(Mod::X2) ? 2 : d.take(Mod::X1) ? 1 : 0;
  d.space();
  i.type = d.take_type();
  if (s != MatrixShape{8, 8, 0} || i.type != Type::B16) d.refuse("only .m8n8 matrices of .b16 are supported");
  d.refuse_unused();
  if (i.vector == 0) d.fail_missing("one of .x1, .x2 and .x4");
  if (i.space != Space::Shared && i.space != Space::Generic)
    d.fail(fmt::format("{} accesses .shared memory", d.fmt_opcode()));
}

}  // namespace

void decode_wmma(Decoder& d, const Root&) {
  if (d.take(Mod::Mma)) return decode_product(d, true);
  const bool load = d.take(Mod::Load);
  if (!load && !d.take(Mod::Store)) d.fail_missing("one of .load, .store and .mma");
  decode_transfer(d, load);
}

void decode_mma(Decoder& d, const Root&) {
  decode_product(d, false);
}

void decode_ldmatrix(Decoder& d, const Root&) {
  matrix_modifiers(d);
  Instr& i = d.in();
  for (const RawOperand& e : list(d, d.next("a destination"), i.vector)) d.add_dst(e, Type::B32);
  d.address();
}

void decode_stmatrix(Decoder& d, const Root&) {
  matrix_modifiers(d);
  Instr& i = d.in();
  d.address();
  for (const RawOperand& e : list(d, d.next("values to store"), i.vector)) d.add_src(e, Type::B32);
}

void decode_movmatrix(Decoder& d, const Root&) {
  sync_aligned(d);
  const MatrixShape s = shape(d);
  Instr& i = d.in();
  i.transpose = d.take(Mod::Trans);
  i.type = d.take_type();
  if (s != MatrixShape{8, 8, 0} || i.type != Type::B16 || !i.transpose)
    d.refuse("only .m8n8.trans.b16 is supported");
  d.dst(Type::B32);
  d.src(Type::B32);
}

}  // namespace heddle::ptx
