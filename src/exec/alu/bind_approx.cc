#include "exec/alu/approx.h"
#include "exec/alu/bind.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;

template <bool kFtz>
float div_full_f32(float a, float b) {
  return div_f32<Round::Rn, kFtz>(a, b);
}

template <bool kFtz>
Handler bind_approx_f32(const ptx::Instr& instr) {
  switch (instr.op) {
    case Op::Div:
      return instr.full ? lanes<div_full_f32<kFtz>> : lanes<div_approx_f32<kFtz>>;
    case Op::Rcp:
      return lanes<rcp_approx_f32<kFtz>>;
    case Op::Sqrt:
      return lanes<sqrt_approx_f32<kFtz>>;
    case Op::Rsqrt:
      return lanes<rsqrt_approx_f32<kFtz>>;
    case Op::Sin:
      return lanes<sin_cos_f32<false>>;
    case Op::Cos:
      return lanes<sin_cos_f32<true>>;
    case Op::Ex2:
      return lanes<ex2_f32<kFtz>>;
    case Op::Lg2:
      return lanes<lg2_f32<kFtz>>;
    case Op::Tanh:
      return lanes<tanh_f32>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler bind_approx(const ptx::Instr& instr) {
  if (instr.type == ptx::Type::F32)
    return instr.ftz ? bind_approx_f32<true>(instr) : bind_approx_f32<false>(instr);
  if (instr.type != ptx::Type::F64) return nullptr;
  switch (instr.op) {
    case Op::Rcp:
      return instr.ftz ? lanes<rcp_approx_f64> : nullptr;
    case Op::Rsqrt:
      return instr.ftz ? lanes<rsqrt_approx_ftz_f64> : lanes<rsqrt_approx_f64>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
