#include "ptx/assemble/narrow_values.h"

#include <algorithm>

#include "ptx/analysis/liveness.h"

namespace heddle::ptx {
namespace {

bool is_wide_register(const Function& f, const Operand& o) {
  return o.kind == Operand::Kind::Reg && bits(f.registers[o.index].type) == 64;
}

bool has_word_addresses(Space s) {
  return s == Space::Shared || s == Space::Local || s == Space::Const;
}

// The lower word of the result comes from the lower words of the operands.
bool keeps_words_apart(const Instr& in) {
  if (is_float(in.type) || in.n_dst != 1 || in.carry_in || in.carry_out || in.sat) return false;
  switch (in.op) {
    case Op::Mov:
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Shl:
    case Op::Selp:
      return bits(in.type) == 64;
    case Op::Mul:
    case Op::Mad:
      return in.half == Half::Wide ? bits(in.type) == 32 : in.half == Half::Lo && bits(in.type) == 64;
    case Op::Cvt:
      return bits(in.type) == 64 && !is_float(in.src_type);
    default:
      return false;
  }
}

}  // namespace

void find_narrow_values(Function& f) {
  const bool any = std::any_of(f.instrs.begin(), f.instrs.end(), [&f](const Instr& in) {
    return has_word_addresses(in.space) && is_wide_register(f, in.address);
  });
  if (!any) return;
  RegSet whole(f.registers.size());  // registers whose upper word somebody needs
  auto need = [&](const Operand& o) {
    if (!is_wide_register(f, o) || whole.contains(o.index)) return false;
    whole.insert(o.index);
    return true;
  };
  auto is_narrow = [&](const Instr& in) {
    return keeps_words_apart(in) && is_wide_register(f, in.dst[0]) && !whole.contains(in.dst[0].index);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = f.instrs.size(); i-- > 0;) {
      const Instr& in = f.instrs[i];
      const bool narrows = in.op == Op::Cvt && bits(in.type) <= 32 && !is_float(in.type) && !in.sat;
      if (!has_word_addresses(in.space)) changed |= need(in.address);
      if (is_narrow(in) || narrows) continue;
      for (std::uint8_t s = 0; s < in.n_src; ++s) changed |= need(in.src[s]);
    }
  }
  for (Instr& in : f.instrs) in.narrow = is_narrow(in);
}

}  // namespace heddle::ptx
