// Moves, packing, selection, and logic on predicates.
#include "exec/alu/bind.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/integer_ops.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;
using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class L>
L copy(L a) {
  return a;
}
U32 copy16(U32 a) {
  return a & 0xffffu;
}

// ---- packing
// ---------------------------------------------------------------------------------------------------

U32 pack16(U32 a, U32 b) {
  return (a & 0xffffu) | b << 16;
}
U64 pack32(U32 a, U32 b) {
  return a | static_cast<U64>(b) << 32;
}
U64 pack16x4(U32 a, U32 b, U32 c, U32 d) {
  return pack32(pack16(a, b), pack16(c, d));
}
U32 pack8x4(U32 a, U32 b, U32 c, U32 d) {
  return (a & 0xffu) | (b & 0xffu) << 8 | (c & 0xffu) << 16 | (d & 0xffu) << 24;
}

Handler bind_pack(const ptx::Instr& instr) {
  const unsigned width = bits(instr.type);
  if (instr.n_src == 2 && width == 32) return lanes<pack16>;
  if (instr.n_src == 2 && width == 64) return lanes<pack32>;
  if (instr.n_src == 4 && width == 64) return lanes<pack16x4>;
  return instr.n_src == 4 && width == 32 ? lanes<pack8x4> : nullptr;
}

// Destinations lie in d, b, c and imm. The source is read first: a destination may be the same register.
template <class From, int kParts>
void unpack(Warp& warp, const Code& code, Mask active) {
  constexpr int kBits = 8 * sizeof(From) / kParts;
  constexpr From kMask = static_cast<From>(~From{0}) >> (8 * sizeof(From) - kBits);
  From whole[kLanes];
  const From* a = warp.in<From>(code.a);
  for (int i = 0; i < kLanes; ++i) whole[i] = a[i];
  const Place places[4] = {code.d, code.b, code.c, place_of_bits(code.imm)};
  for (int k = 0; k < kParts; ++k) {
    if (code.instr->dst[static_cast<std::size_t>(k)].kind == ptx::Operand::Kind::Sink) continue;
    store_lanes(warp.out<U32>(places[k]), active,
                [&](int i) { return static_cast<U32>(whole[i] >> (kBits * k) & kMask); });
  }
}

Handler bind_unpack(const ptx::Instr& instr) {
  const unsigned width = bits(instr.type);
  if (instr.n_dst == 2 && width == 32) return &unpack<U32, 2>;
  if (instr.n_dst == 2 && width == 64) return &unpack<U64, 2>;
  if (instr.n_dst == 4 && width == 64) return &unpack<U64, 4>;
  return instr.n_dst == 4 && width == 32 ? &unpack<U32, 4> : nullptr;
}

// ---- selection
// ---------------------------------------------------------------------------------------------------

template <class L, bool k16>
void selp(Warp& warp, const Code& code, Mask active) {
  const L* a = warp.in<L>(code.a);
  const L* b = warp.in<L>(code.b);
  const Mask p = warp.predicate(code.p, code.p_flip);
  const U32* bit = kLaneBits.data();
  store_lanes(warp.out<L>(code.d), active, [=](int i) {
    const L x = a[i], y = b[i];
    const L r = (p & bit[i]) != 0 ? x : y;
    return k16 ? static_cast<L>(r & 0xffffu) : r;
  });
}

// a where c >= 0, else b. -0.0 counts as >= 0, NaN does not.
template <class L, class C>
L slct(L a, L b, C c) {
  return c >= C{0} ? a : b;
}
template <class C>
U32 slct16(U32 a, U32 b, C c) {
  return (c >= C{0} ? a : b) & 0xffffu;
}
template <class L>
L slct_ftz(L a, L b, float c) {
  return flushed<true>(c) >= 0.0f ? a : b;
}
U32 slct16_ftz(U32 a, U32 b, float c) {
  return slct_ftz(a, b, c) & 0xffffu;
}

Handler bind_slct(const ptx::Instr& instr) {
  const unsigned width = bits(instr.type);
  if (instr.src_type == Type::S32) {
    if (width == 16) return lanes<slct16<std::int32_t>>;
    return width == 64 ? lanes<slct<U64, std::int32_t>> : lanes<slct<U32, std::int32_t>>;
  }
  if (instr.src_type != Type::F32) return nullptr;
  if (instr.ftz) {
    if (width == 16) return lanes<slct16_ftz>;
    return width == 64 ? lanes<slct_ftz<U64>> : lanes<slct_ftz<U32>>;
  }
  if (width == 16) return lanes<slct16<float>>;
  return width == 64 ? lanes<slct<U64, float>> : lanes<slct<U32, float>>;
}

// ---- predicates: p is src[0]; src[1] is in imm, its slot in bits 0..15, bit 16 set for "not"
// ------------------------

template <Op kOp>
void predicate_logic(Warp& warp, const Code& code, Mask active) {
  const Mask a = warp.predicate(code.p, code.p_flip);
  const Mask flip = (code.imm >> 16 & 1) != 0 ? kAllLanes : 0;
  const auto second = [&] { return warp.predicate(static_cast<PredSlot>(code.imm & 0xffff), flip); };
  Mask r = a;
  if constexpr (kOp == Op::And) r = a & second();
  if constexpr (kOp == Op::Or) r = a | second();
  if constexpr (kOp == Op::Xor) r = a ^ second();
  if constexpr (kOp == Op::Not) r = ~a;
  warp.set_predicate(code.pd, r, active);
}

Handler bind_predicate(Op op) {
  switch (op) {
    case Op::And:
      return &predicate_logic<Op::And>;
    case Op::Or:
      return &predicate_logic<Op::Or>;
    case Op::Xor:
      return &predicate_logic<Op::Xor>;
    case Op::Not:
      return &predicate_logic<Op::Not>;
    case Op::Mov:
      return &predicate_logic<Op::Mov>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler bind_move(const ptx::Instr& instr) {
  if (instr.type == Type::Pred) return bind_predicate(instr.op);
  const unsigned width = bits(instr.type);
  if (width > 64) return nullptr;
  switch (instr.op) {
    case Op::Mov:
      if (width == 64) return lanes<copy<U64>>;
      return width == 16 ? lanes<copy16> : lanes<copy<U32>>;
    case Op::Pack:
      return bind_pack(instr);
    case Op::Unpack:
      return bind_unpack(instr);
    case Op::Selp:
      if (width == 64) return &selp<U64, false>;
      return width == 16 ? &selp<U32, true> : &selp<U32, false>;
    case Op::Slct:
      return bind_slct(instr);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
