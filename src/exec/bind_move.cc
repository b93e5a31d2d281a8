// Logic on predicates, and registers put together from or taken apart into smaller ones.
#include <array>

#include "exec/bind.h"
#include "exec/lanes.h"
#include "exec/warp.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::Type;

// The second predicate operand is packed into imm: slot below, flip above.
Mask second(const Warp& w, const Code& c) {
  return w.predicate(static_cast<PredSlot>(c.imm & 0xffff), static_cast<Mask>(c.imm >> 32));
}

void pred_and(Warp& w, const Code& c, Mask active) { w.set_predicate(c.pd, w.predicate(c.p, c.p_flip) & second(w, c), active); }
void pred_or(Warp& w, const Code& c, Mask active) { w.set_predicate(c.pd, w.predicate(c.p, c.p_flip) | second(w, c), active); }
void pred_xor(Warp& w, const Code& c, Mask active) { w.set_predicate(c.pd, w.predicate(c.p, c.p_flip) ^ second(w, c), active); }
void pred_not(Warp& w, const Code& c, Mask active) { w.set_predicate(c.pd, ~w.predicate(c.p, c.p_flip), active); }
void pred_mov(Warp& w, const Code& c, Mask active) { w.set_predicate(c.pd, w.predicate(c.p, c.p_flip), active); }
void pred_select(Warp& w, const Code& c, Mask active) {  // selp.pred d, p, second, c
  const Mask choose = w.predicate(static_cast<PredSlot>(c.a.bits()), c.b.bits());
  w.set_predicate(c.pd, (w.predicate(c.p, c.p_flip) & choose) | (second(w, c) & ~choose), active);
}

bool bind_predicate_logic(const Instr& in, Binder& b, Code& c) {
  switch (in.op) {
    case Op::And: c.handler = pred_and; break;
    case Op::Or: c.handler = pred_or; break;
    case Op::Xor: c.handler = pred_xor; break;
    case Op::Not: c.handler = pred_not; break;
    case Op::Mov: c.handler = pred_mov; break;
    case Op::Selp: c.handler = pred_select; break;
    default: b.unsupported("this operation on predicates");
  }
  c.pd = b.predicate(in.dst[0]);
  c.p = b.predicate(in.src[0]);
  c.p_flip = in.src[0].negated ? kAllLanes : 0;
  if (in.n_src > 1)
    c.imm = static_cast<std::int64_t>(b.predicate(in.src[1]) | (in.src[1].negated ? std::uint64_t{kAllLanes} << 32 : 0));
  if (in.op == Op::Selp) {
    c.a = Place::from_bits(b.predicate(in.src[2]));
    c.b = Place::from_bits(in.src[2].negated ? kAllLanes : 0);
  }
  return true;
}

std::array<Place, 4> parts(const Code& c) { return {c.a, c.b, c.c, Place::from_bits(static_cast<std::uint32_t>(c.imm))}; }

// mov.b32 d, {a,b}; mov.b64 d, {a,b}; mov.b64 d, {a,b,c,d}: the first part is the lowest.
template <class D, class P, unsigned PartBits>
void pack(Warp& w, const Code& c, Mask active) {
  constexpr unsigned n = sizeof(D) * 8 / PartBits;
  const auto p = parts(c);
  std::array<const P*, n> s;
  for (unsigned k = 0; k < n; ++k) s[k] = w.in<P>(p[k]);
  write_lanes(w.out<D>(c.d), active, [&](int i) {
    D v = 0;
    for (unsigned k = 0; k < n; ++k) {
      const D part = PartBits == 16 ? static_cast<D>(s[k][i] & 0xffff) : static_cast<D>(s[k][i]);
      v |= part << (k * PartBits);
    }
    return v;
  });
}

// The source is in `d`; parts may share its slot, so it is copied first.
template <class S, class P, unsigned PartBits>
void unpack(Warp& w, const Code& c, Mask active) {
  constexpr unsigned n = sizeof(S) * 8 / PartBits;
  S source[kLanes];
  std::copy_n(w.in<S>(c.d), kLanes, source);
  const auto p = parts(c);
  for (unsigned k = 0; k < n; ++k)
    write_lanes(w.out<P>(p[k]), active, [&](int i) {
      const S v = source[i] >> (k * PartBits);
      return static_cast<P>(PartBits == 16 ? v & 0xffff : v);
    });
}

bool bind_pack(const Instr& in, Binder& b, Code& c) {
  const bool packing = in.op == Op::Pack;
  const unsigned whole = ptx::bits(in.type);
  const unsigned n = packing ? in.n_src : in.n_dst;
  const unsigned part = whole / n;
  const Type part_type = part == 32 ? Type::B32 : Type::B16;
  std::array<Place, 4> p{};
  for (unsigned k = 0; k < n; ++k) p[k] = b.place(packing ? in.src[k] : in.dst[k], part_type);
  c.d = b.place(packing ? in.dst[0] : in.src[0], in.type);
  c.a = p[0];
  c.b = p[1];
  c.c = p[2];
  c.imm = p[3].bits();
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  if (whole == 64 && part == 32)
    c.handler = packing ? pack<U64, U32, 32> : unpack<U64, U32, 32>;
  else if (whole == 64 && part == 16)
    c.handler = packing ? pack<U64, U32, 16> : unpack<U64, U32, 16>;
  else if (whole == 32 && part == 16)
    c.handler = packing ? pack<U32, U32, 16> : unpack<U32, U32, 16>;
  else
    b.unsupported("parts of this size");
  return true;
}

}  // namespace

bool bind_move(const Instr& in, Binder& b, Code& c) {
  if (in.type == Type::Pred && in.op <= Op::Mov) return bind_predicate_logic(in, b, c);
  if (in.op == Op::Pack || in.op == Op::Unpack) return bind_pack(in, b, c);
  return false;
}

}  // namespace heddle::exec
