// setp, set and testp: a comparison gives one bit per lane, which then becomes predicates or lanes.
#include "exec/alu/bind.h"
#include "exec/alu/compare.h"
#include "exec/alu/lane_handlers.h"
#include "exec/alu/lane_vectors.h"

namespace heddle::exec::alu {
namespace {

using ptx::BoolOp;
using ptx::Op;
using ptx::Type;

// The lanes for which C holds, read as V says.
template <class V, Cmp C>
Mask compare_lanes(Warp& warp, const Code& code) {
  const auto* a = warp.in<typename V::Lane>(code.a);
  const auto* b = warp.in<typename V::Lane>(code.b);
  using T = typename V::Value;
  if constexpr (V::kPlain) {
    return compare_mask<C>(reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b));
  } else {
    T x[kLanes], y[kLanes];
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) {
      x[i] = V::value(a[i]);
      y[i] = V::value(b[i]);
    }
    return compare_mask<C>(x, y);
  }
}

Mask combine(BoolOp op, Mask value, Mask predicate) {
  switch (op) {
    case BoolOp::None:
      return value;
    case BoolOp::And:
      return value & predicate;
    case BoolOp::Or:
      return value | predicate;
    case BoolOp::Xor:
      return value ^ predicate;
  }
  return value;
}

// ---- handlers, given the comparison
// --------------------------------------------------------------------------

template <class V, Cmp C>
void setp_plain(Warp& warp, const Code& code, Mask active) {
  const Mask m = compare_lanes<V, C>(warp, code);
  warp.set_predicate(code.pd, m, active);
  warp.set_predicate(code.pq, ~m, active);
}
template <class V, Cmp C>
void setp_combined(Warp& warp, const Code& code, Mask active) {
  const Mask m = compare_lanes<V, C>(warp, code);
  const Mask predicate = warp.predicate(code.p, code.p_flip);
  const BoolOp op = code.instr->bool_op;
  warp.set_predicate(code.pd, combine(op, m, predicate), active);
  warp.set_predicate(code.pq, combine(op, ~m, predicate), active);
}
// Pairs: the first predicate is of the low halves, the second of the high ones.
template <class Low, class High, Cmp C>
void setp_pair(Warp& warp, const Code& code, Mask active) {
  const Mask predicate = warp.predicate(code.p, code.p_flip);
  const BoolOp op = code.instr->bool_op;
  const Mask low = compare_lanes<Low, C>(warp, code), high = compare_lanes<High, C>(warp, code);
  warp.set_predicate(code.pd, combine(op, low, predicate), active);
  warp.set_predicate(code.pq, combine(op, high, predicate), active);
}

std::uint32_t true_value(Type t) {
  switch (t) {
    case Type::F32:
      return 0x3f800000u;
    case Type::F16:
    case Type::F16x2:
      return 0x3c00u;
    case Type::BF16:
    case Type::BF16x2:
      return 0x3f80u;
    case Type::U16:
    case Type::S16:
      return 0xffffu;
    default:
      return ~0u;
  }
}
template <class V, Cmp C>
void set_plain(Warp& warp, const Code& code, Mask active) {
  const ptx::Instr& instr = *code.instr;
  const Mask m = combine(instr.bool_op, compare_lanes<V, C>(warp, code), warp.predicate(code.p, code.p_flip));
  const std::uint32_t yes = true_value(instr.type);
  const std::uint32_t* bit = kLaneBits.data();
  store_lanes(warp.out<std::uint32_t>(code.d), active, [=](int i) { return (m & bit[i]) != 0 ? yes : 0u; });
}
template <class Low, class High, Cmp C>
void set_pair(Warp& warp, const Code& code, Mask active) {
  const ptx::Instr& instr = *code.instr;
  const Mask predicate = warp.predicate(code.p, code.p_flip);
  const Mask low = combine(instr.bool_op, compare_lanes<Low, C>(warp, code), predicate);
  const Mask high = combine(instr.bool_op, compare_lanes<High, C>(warp, code), predicate);
  const std::uint32_t yes = true_value(instr.type) & 0xffffu;
  store_lanes(warp.out<std::uint32_t>(code.d), active, [=](int i) {
    return ((low >> i & 1u) != 0 ? yes : 0u) | ((high >> i & 1u) != 0 ? yes << 16 : 0u);
  });
}

// ---- choice of the comparison
// -----------------------------------------------------------------------------------

template <class V, Cmp C>
Handler form(const ptx::Instr& instr) {
  if (instr.op == Op::Set) return &set_plain<V, C>;
  return instr.bool_op == BoolOp::None ? &setp_plain<V, C> : &setp_combined<V, C>;
}

template <class V>
Handler bind_integers(const ptx::Instr& instr) {
  switch (instr.cmp) {
    case Cmp::Eq:
      return form<V, Cmp::Eq>(instr);
    case Cmp::Ne:
      return form<V, Cmp::Ne>(instr);
    case Cmp::Lt:
    case Cmp::Lo:
      return form<V, Cmp::Lt>(instr);
    case Cmp::Le:
    case Cmp::Ls:
      return form<V, Cmp::Le>(instr);
    case Cmp::Gt:
    case Cmp::Hi:
      return form<V, Cmp::Gt>(instr);
    case Cmp::Ge:
    case Cmp::Hs:
      return form<V, Cmp::Ge>(instr);
    default:
      return nullptr;
  }
}

// F::get<C>(instr) for the instruction's comparison.
template <class F>
Handler each_float(const ptx::Instr& instr) {
  switch (instr.cmp) {
    case Cmp::Eq:
      return F::template get<Cmp::Eq>(instr);
    case Cmp::Ne:
      return F::template get<Cmp::Ne>(instr);
    case Cmp::Lt:
      return F::template get<Cmp::Lt>(instr);
    case Cmp::Le:
      return F::template get<Cmp::Le>(instr);
    case Cmp::Gt:
      return F::template get<Cmp::Gt>(instr);
    case Cmp::Ge:
      return F::template get<Cmp::Ge>(instr);
    case Cmp::Equ:
      return F::template get<Cmp::Equ>(instr);
    case Cmp::Neu:
      return F::template get<Cmp::Neu>(instr);
    case Cmp::Ltu:
      return F::template get<Cmp::Ltu>(instr);
    case Cmp::Leu:
      return F::template get<Cmp::Leu>(instr);
    case Cmp::Gtu:
      return F::template get<Cmp::Gtu>(instr);
    case Cmp::Geu:
      return F::template get<Cmp::Geu>(instr);
    case Cmp::Num:
      return F::template get<Cmp::Num>(instr);
    case Cmp::Nan:
      return F::template get<Cmp::Nan>(instr);
    default:
      return nullptr;
  }
}
template <class V>
struct Scalar {
  template <Cmp C>
  static Handler get(const ptx::Instr& instr) {
    return form<V, C>(instr);
  }
};
template <class H, bool kFtz>
struct Pair {
  template <Cmp C>
  static Handler get(const ptx::Instr& instr) {
    using Low = AsHalf<H, kFtz, false>;
    using High = AsHalf<H, kFtz, true>;
    return instr.op == Op::Set ? &set_pair<Low, High, C> : &setp_pair<Low, High, C>;
  }
};
template <class H, bool kFtz>
Handler bind_halves(const ptx::Instr& instr, bool pair) {
  return pair ? each_float<Pair<H, kFtz>>(instr) : each_float<Scalar<AsHalf<H, kFtz, false>>>(instr);
}

template <class Fmt, class Bits>
void testp(Warp& warp, const Code& code, Mask active) {
  const Bits* a = warp.in<Bits>(code.a);
  const ptx::TestpOp test = code.instr->testp;
  warp.set_predicate(code.pd, lane_mask([=](int i) { return test_property<Fmt>(a[i], test); }), active);
}

}  // namespace

Handler bind_compare(const ptx::Instr& instr) {
  if (instr.op == Op::Testp) {
    if (instr.type == Type::F32) return &testp<F32, std::uint32_t>;
    return instr.type == Type::F64 ? &testp<F64, std::uint64_t> : nullptr;
  }
  switch (instr.op == Op::Set ? instr.src_type : instr.type) {
    case Type::B16:
    case Type::U16:
      return bind_integers<AsInt<std::uint16_t>>(instr);
    case Type::B32:
    case Type::U32:
      return bind_integers<AsInt<std::uint32_t>>(instr);
    case Type::B64:
    case Type::U64:
      return bind_integers<AsInt<std::uint64_t>>(instr);
    case Type::S16:
      return bind_integers<AsInt<std::int16_t>>(instr);
    case Type::S32:
      return bind_integers<AsInt<std::int32_t>>(instr);
    case Type::S64:
      return bind_integers<AsInt<std::int64_t>>(instr);
    case Type::F32:
      return instr.ftz ? each_float<Scalar<AsF32<true>>>(instr) : each_float<Scalar<AsF32<false>>>(instr);
    case Type::F64:
      return each_float<Scalar<AsF64>>(instr);
    case Type::F16:
      return instr.ftz ? bind_halves<Half, true>(instr, false) : bind_halves<Half, false>(instr, false);
    case Type::F16x2:
      return instr.ftz ? bind_halves<Half, true>(instr, true) : bind_halves<Half, false>(instr, true);
    case Type::BF16:
      return bind_halves<Bhalf, false>(instr, false);
    case Type::BF16x2:
      return bind_halves<Bhalf, false>(instr, true);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
