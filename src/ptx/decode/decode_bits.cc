// Logic, shifts and bit fields.
#include <fmt/format.h>

#include "ptx/decode/decode.h"

namespace heddle::ptx {

void decode_logic(Decoder& d, const Root& r) {
  Instr& i = d.in();
  i.type = d.type(r.types);
  d.dst(i.type);
  for (int n = 0; n < r.sources; ++n) d.src(i.type);
}

void decode_shift(Decoder& d, const Root& r) {
  Instr& i = d.in();
  i.type = d.type(r.types);
  d.dst(i.type);
  d.src(i.type);
  d.src(Type::U32);
}

// popc, clz, bfind: a 32-bit count of a value.
void decode_count(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (r.op == Op::Bfind) i.shiftamt = d.take(Mod::Shiftamt);
  i.type = d.type(r.types);
  d.dst(Type::U32);
  d.src(i.type);
}

// bfe d, a, pos, len and bfi d, a, b, pos, len
void decode_bit_field(Decoder& d, const Root& r) {
  Instr& i = d.in();
  i.type = d.type(r.types);
  d.dst(i.type);
  d.src(i.type);
  if (r.op == Op::Bfi) d.src(i.type);
  d.src(Type::U32);
  d.src(Type::U32);
}

void decode_funnel_shift(Decoder& d, const Root& r) {
  static constexpr Choice<bool> kDirections[] = {{Mod::Left, true}, {Mod::Right, false}};
  static constexpr Choice<bool> kModes[] = {{Mod::Clamp, true}, {Mod::Wrap, false}};
  Instr& i = d.in();
  d.pick_required(kDirections, i.left, "one of .l and .r");
  d.pick_required(kModes, i.clamp, "one of .clamp and .wrap");
  i.type = d.type(r.types);
  d.dst(i.type);
  d.src(i.type);
  d.src(i.type);
  d.src(Type::U32);
}

void decode_lop3(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (d.has(Mod::Or) || d.has(Mod::And)) d.refuse("lop3 with a predicate result is not supported");
  i.type = d.type(r.types);
  d.dst(i.type);
  for (int n = 0; n < 3; ++n) d.src(i.type);
  const std::uint64_t lut = d.immediate("the look-up table");
  if (lut > 0xff) d.fail(fmt::format("the look-up table of lop3 has 8 bits, found 0x{:x}", lut));
  i.lut = static_cast<std::uint8_t>(lut);
}

void decode_prmt(Decoder& d, const Root& r) {
  static constexpr Choice<PrmtMode> kModes[] = {{Mod::F4e, PrmtMode::F4e}, {Mod::B4e, PrmtMode::B4e},
                                                {Mod::Rc8, PrmtMode::Rc8}, {Mod::Ecl, PrmtMode::Ecl},
                                                {Mod::Ecr, PrmtMode::Ecr}, {Mod::Rc16, PrmtMode::Rc16}};
  Instr& i = d.in();
  d.pick(kModes, i.prmt);
  i.type = d.type(r.types);
  d.dst(i.type);
  for (int n = 0; n < 3; ++n) d.src(i.type);
}

// bmsk and szext
void decode_bmsk(Decoder& d, const Root& r) {
  static constexpr Choice<bool> kModes[] = {{Mod::Clamp, true}, {Mod::Wrap, false}};
  Instr& i = d.in();
  d.pick_required(kModes, i.clamp, "one of .clamp and .wrap");
  i.type = d.type(r.types);
  d.dst(i.type);
  d.src(i.type);
  d.src(Type::U32);
}

void decode_fns(Decoder& d, const Root& r) {
  Instr& i = d.in();
  i.type = d.type(r.types);
  d.dst(Type::B32);
  d.src(Type::B32);
  d.src(Type::B32);
  d.src(Type::S32);
}

}  // namespace heddle::ptx
