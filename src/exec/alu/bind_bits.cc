#include "exec/alu/bind.h"
#include "exec/alu/bit_ops.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;
using ptx::Type;
using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class U, class S>
Handler logic(const ptx::Instr& instr) {
  using L = LaneOf<U>;
  switch (instr.op) {
    case Op::And:
      return lanes<and_bits<L>>;
    case Op::Or:
      return lanes<or_bits<L>>;
    case Op::Xor:
      return lanes<xor_bits<L>>;
    case Op::Not:
      return lanes<not_bits<U>>;
    case Op::Cnot:
      return lanes<cnot<U>>;
    case Op::Shl:
      return lanes<shl<U>>;
    case Op::Shr:
      return is_signed(instr.type) ? lanes<shr<S>> : lanes<shr<U>>;
    default:
      break;
  }
  if constexpr (sizeof(U) >= 4) {
    const bool s = is_signed(instr.type);
    switch (instr.op) {
      case Op::Bfe:
        return s ? lanes<bfe<S>> : lanes<bfe<U>>;
      case Op::Bfi:
        return lanes<bfi<U>>;
      case Op::Bfind:
        if (instr.shiftamt) return s ? lanes<bfind<S, true>> : lanes<bfind<U, true>>;
        return s ? lanes<bfind<S, false>> : lanes<bfind<U, false>>;
      case Op::Brev:
        return lanes<brev<U>>;
      case Op::Popc:
        return lanes<popc<U>>;
      case Op::Clz:
        return lanes<clz<U>>;
      default:
        break;
    }
  }
  return nullptr;
}

Handler bind_prmt(ptx::PrmtMode mode) {
  using enum ptx::PrmtMode;
  switch (mode) {
    case Default:
      return lanes<prmt<Default>>;
    case F4e:
      return lanes<prmt<F4e>>;
    case B4e:
      return lanes<prmt<B4e>>;
    case Rc8:
      return lanes<prmt<Rc8>>;
    case Ecl:
      return lanes<prmt<Ecl>>;
    case Ecr:
      return lanes<prmt<Ecr>>;
    case Rc16:
      return lanes<prmt<Rc16>>;
  }
  return nullptr;
}

Handler bind_shf(const ptx::Instr& instr) {
  if (instr.left) return instr.clamp ? lanes<shf<true, true>> : lanes<shf<true, false>>;
  return instr.clamp ? lanes<shf<false, true>> : lanes<shf<false, false>>;
}

Handler bind_szext(const ptx::Instr& instr) {
  if (is_signed(instr.type)) return instr.clamp ? lanes<szext<S32, true>> : lanes<szext<S32, false>>;
  return instr.clamp ? lanes<szext<U32, true>> : lanes<szext<U32, false>>;
}

// The table is in the instruction; the usual ones get their own loops from the compiler's constant folding.
template <U32 kLut>
U32 lop3_of(U32 a, U32 b, U32 c) {
  return lop3(a, b, c, kLut);
}
void lop3_any(Warp& warp, const Code& code, Mask active) {
  const U32* a = warp.in<U32>(code.a);
  const U32* b = warp.in<U32>(code.b);
  const U32* c = warp.in<U32>(code.c);
  const U32 lut = code.instr->lut;
  store_lanes(warp.out<U32>(code.d), active, [=](int i) { return lop3(a[i], b[i], c[i], lut); });
}
Handler bind_lop3(const ptx::Instr& instr) {
  switch (instr.lut) {
    case 0x80:
      return lanes<lop3_of<0x80>>;  // a & b & c
    case 0x96:
      return lanes<lop3_of<0x96>>;  // a ^ b ^ c
    case 0xb8:
      return lanes<lop3_of<0xb8>>;
    case 0xca:
      return lanes<lop3_of<0xca>>;  // a ? b : c
    case 0xe8:
      return lanes<lop3_of<0xe8>>;  // majority
    case 0xf8:
      return lanes<lop3_of<0xf8>>;
    case 0xfe:
      return lanes<lop3_of<0xfe>>;  // a | b | c
    default:
      return &lop3_any;
  }
}

}  // namespace

Handler bind_bits(const ptx::Instr& instr) {
  switch (instr.op) {
    case Op::Prmt:
      return bind_prmt(instr.prmt);
    case Op::Shf:
      return bind_shf(instr);
    case Op::Bmsk:
      return instr.clamp ? lanes<bmsk<true>> : lanes<bmsk<false>>;
    case Op::Szext:
      return bind_szext(instr);
    case Op::Fns:
      return lanes<fns>;
    case Op::Lop3:
      return bind_lop3(instr);
    default:
      break;
  }
  switch (bits(instr.type)) {
    case 16:
      return logic<U16, S16>(instr);
    case 32:
      return logic<U32, S32>(instr);
    case 64:
      return logic<U64, S64>(instr);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
