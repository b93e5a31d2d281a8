#include "exec/alu/bind_alu.h"

#include "exec/alu/bind.h"
#include "ptx/ir/kind.h"

namespace heddle::exec {
namespace {

using ptx::Op;
using ptx::Type;

// Add ... Tanh: the type decides.
Handler bind_arithmetic(const ptx::Instr& instr) {
  if (is_half(instr.type)) return alu::bind_half(instr);
  if (!is_float(instr.type)) {
    return instr.carry_in || instr.carry_out ? alu::bind_carry(instr) : alu::bind_integer(instr);
  }
  if (instr.approx || instr.full || instr.op == Op::Rsqrt) return alu::bind_approx(instr);
  switch (instr.op) {
    case Op::Abs:
    case Op::Neg:
    case Op::Min:
    case Op::Max:
    case Op::Copysign:
      return alu::bind_sign(instr);
    case Op::Sin:
    case Op::Cos:
    case Op::Ex2:
    case Op::Lg2:
    case Op::Tanh:
      return alu::bind_approx(instr);
    default:
      return instr.type == Type::F32 ? alu::bind_f32(instr) : alu::bind_f64(instr);
  }
}

}  // namespace

Handler bind_alu(const ptx::Instr& instr) {
  if (instr.type == Type::Pred) return alu::bind_move(instr);
  if (ptx::kind(instr) == ptx::Kind::Logic) return alu::bind_bits(instr);
  if (ptx::kind(instr) == ptx::Kind::Convert) return alu::bind_convert(instr);
  switch (instr.op) {
    case Op::Setp:
    case Op::Set:
    case Op::Testp:
      return alu::bind_compare(instr);
    case Op::Selp:
    case Op::Slct:
    case Op::Mov:
    case Op::Pack:
    case Op::Unpack:
      return alu::bind_move(instr);
    case Op::Vabsdiff4:
    case Op::Vabsdiff2:
      return alu::bind_integer(instr);
    default:
      break;
  }
  return instr.op <= Op::Tanh || instr.op == Op::Copysign ? bind_arithmetic(instr) : nullptr;
}

unsigned alu_source_bits(const ptx::Instr& instr, unsigned index) {
  const unsigned own = bits(instr.type);
  switch (instr.op) {
    case Op::Shl:
    case Op::Shr:
      return index == 1 ? 32 : own;
    case Op::Bfe:
      return index >= 1 ? 32 : own;
    case Op::Bfi:
      return index >= 2 ? 32 : own;
    case Op::Mad:
      return index == 2 && instr.half == ptx::Half::Wide ? 2 * own : own;
    case Op::Cvt:
      return bits(instr.src_type);
    case Op::CvtPack:
      return 32;
    case Op::Set:
      return bits(instr.src_type);
    case Op::Slct:
      return index == 2 ? bits(instr.src_type) : own;
    case Op::Pack:
      return own / (instr.n_src > 0 ? instr.n_src : 1);
    case Op::Dp4a:
    case Op::Dp2a:
    case Op::Vabsdiff4:
    case Op::Vabsdiff2:
      return 32;
    default:
      return own;
  }
}

unsigned alu_result_bits(const ptx::Instr& instr) {
  const unsigned own = bits(instr.type);
  switch (instr.op) {
    case Op::Popc:
    case Op::Clz:
    case Op::Bfind:
      return 32;
    case Op::Mul:
    case Op::Mad:
      return instr.half == ptx::Half::Wide ? 2 * own : own;
    case Op::Unpack:
      return own / (instr.n_dst > 0 ? instr.n_dst : 1);
    case Op::Dp4a:
    case Op::Dp2a:
    case Op::Vabsdiff4:
    case Op::Vabsdiff2:
      return 32;
    case Op::Setp:
    case Op::Testp:
      return 1;
    default:
      return own;
  }
}

}  // namespace heddle::exec
