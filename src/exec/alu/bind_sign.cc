#include "exec/alu/bind.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <bool kMax, bool kFtz>
Handler min_max_f32(const ptx::Instr& instr) {
  if (instr.xorsign_abs) {
    return instr.nan ? lanes<min_max_bits<F32, kMax, kFtz, true, true, U32>>
                     : lanes<min_max_bits<F32, kMax, kFtz, false, true, U32>>;
  }
  return instr.nan ? lanes<min_max_bits<F32, kMax, kFtz, true, false, U32>>
                   : lanes<min_max_bits<F32, kMax, kFtz, false, false, U32>>;
}

// copysign d, a, b: the sign of a on the magnitude of b.
template <class Fmt, class Bits>
Bits copy_sign(Bits a, Bits b) {
  return static_cast<Bits>((a & Fmt::sign) | (b & (Fmt::sign - 1)));
}

Handler bind_sign_f32(const ptx::Instr& instr) {
  switch (instr.op) {
    case Op::Abs:
      return instr.ftz ? lanes<abs_bits<F32, true, U32>> : lanes<abs_bits<F32, false, U32>>;
    case Op::Neg:
      return instr.ftz ? lanes<neg_bits<F32, true, U32>> : lanes<neg_bits<F32, false, U32>>;
    case Op::Min:
      return instr.ftz ? min_max_f32<false, true>(instr) : min_max_f32<false, false>(instr);
    case Op::Max:
      return instr.ftz ? min_max_f32<true, true>(instr) : min_max_f32<true, false>(instr);
    case Op::Copysign:
      return lanes<copy_sign<F32, U32>>;
    default:
      return nullptr;
  }
}
Handler bind_sign_f64(const ptx::Instr& instr) {
  if (instr.ftz || instr.nan || instr.xorsign_abs) return nullptr;
  switch (instr.op) {
    case Op::Abs:
      return lanes<abs_bits<F64, false, U64>>;
    case Op::Neg:
      return lanes<neg_bits<F64, false, U64>>;
    case Op::Min:
      return lanes<min_max_bits<F64, false, false, false, false, U64>>;
    case Op::Max:
      return lanes<min_max_bits<F64, true, false, false, false, U64>>;
    case Op::Copysign:
      return lanes<copy_sign<F64, U64>>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler bind_sign(const ptx::Instr& instr) {
  if (instr.type == ptx::Type::F32) return bind_sign_f32(instr);
  return instr.type == ptx::Type::F64 ? bind_sign_f64(instr) : nullptr;
}

}  // namespace heddle::exec::alu
