#include "exec/alu/bind.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;

template <Round R, bool kFtz, bool kSat>
Handler rounded(Op op) {
  switch (op) {
    case Op::Add: return lanes<add_f32<R, kFtz, kSat>>;
    case Op::Sub: return lanes<sub_f32<R, kFtz, kSat>>;
    case Op::Mul: return lanes<mul_f32<R, kFtz, kSat>>;
    case Op::Fma: case Op::Mad: return lanes<fma_f32<R, kFtz, kSat>>;
    default: break;
  }
  if constexpr (!kSat) {
    switch (op) {
      case Op::Div: return lanes<div_f32<R, kFtz>>;
      case Op::Rcp: return lanes<rcp_f32<R, kFtz>>;
      case Op::Sqrt: return lanes<sqrt_f32<R, kFtz>>;
      default: break;
    }
  }
  return nullptr;
}

template <Round R>
Handler with_modifiers(const ptx::Instr& instr) {
  if (instr.ftz) return instr.sat ? rounded<R, true, true>(instr.op) : rounded<R, true, false>(instr.op);
  return instr.sat ? rounded<R, false, true>(instr.op) : rounded<R, false, false>(instr.op);
}

}  // namespace

Handler bind_f32(const ptx::Instr& instr) {
  switch (instr.round) {
    case Round::None: case Round::Rn: return with_modifiers<Round::Rn>(instr);
    case Round::Rz: return with_modifiers<Round::Rz>(instr);
    case Round::Rm: return with_modifiers<Round::Rm>(instr);
    case Round::Rp: return with_modifiers<Round::Rp>(instr);
    default: return nullptr;
  }
}

}  // namespace heddle::exec::alu
