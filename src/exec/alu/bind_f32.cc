#include "exec/alu/bind.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/host_rounding.h"
#include "exec/alu/long_way.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;

template <bool kFtz, bool kSat>
Handler with_modifiers(const ptx::Instr& instr) {
  switch (instr.op) {
    case Op::Add:
      return in_mode<add_f32<Round::Rn, kFtz, kSat>>(instr);
    case Op::Sub:
      return in_mode<sub_f32<Round::Rn, kFtz, kSat>>(instr);
    case Op::Mul:
      return in_mode<mul_f32<Round::Rn, kFtz, kSat>>(instr);
    case Op::Fma:
    case Op::Mad:
      return in_mode<fma_f32<Round::Rn, kFtz, kSat>>(instr);
    default:
      break;
  }
  if constexpr (!kSat) {
    switch (instr.op) {
      case Op::Div:
        return handler_in_mode<noted_division<lanes<div_f32<Round::Rn, kFtz>>, float>>(instr);
      case Op::Rcp:
        return handler_in_mode<noted_reciprocal<lanes<rcp_f32<Round::Rn, kFtz>>, float>>(instr);
      case Op::Sqrt:
        return handler_in_mode<noted_root<lanes<sqrt_f32<Round::Rn, kFtz>>, float>>(instr);
      default:
        break;
    }
  }
  return nullptr;
}

}  // namespace

Handler bind_f32(const ptx::Instr& instr) {
  if (instr.ftz) return instr.sat ? with_modifiers<true, true>(instr) : with_modifiers<true, false>(instr);
  return instr.sat ? with_modifiers<false, true>(instr) : with_modifiers<false, false>(instr);
}

}  // namespace heddle::exec::alu
