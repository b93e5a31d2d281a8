// Extended-precision arithmetic: the carry (borrow) of each lane is a bit of the warp's condition code.
#include "exec/alu/bind.h"
#include "exec/alu/integer_ops.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Half;
using ptx::Op;
using ptx::Type;

// x + y + carry of every lane. A subtraction is x + ~y + carry, and the carry stands for "no borrow": that is
// what silicon keeps in CC.CF, as a chain that mixes additions and subtractions shows.
template <class U, bool kSubtract, class X, class Y>
void chain(Warp& warp, const Code& code, Mask active, X&& x, Y&& y) {
  const ptx::Instr& instr = *code.instr;
  const Mask first = instr.carry_in ? warp.carry() : kSubtract ? kAllLanes : 0;
  U sum[kLanes], carry[kLanes];
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    const U a = x(i), b = kSubtract ? static_cast<U>(~y(i)) : y(i);
    const U s = a + b;
    const U total = s + (first >> i & 1u);
    sum[i] = total;
    carry[i] = static_cast<U>(s < a) | static_cast<U>(total < s);
  }
  if (instr.carry_out) {
    const Mask out = lane_mask([&](int i) { return carry[i] != 0; });
    warp.set_carry(out, active);
  }
  store_lanes(warp.out<U>(code.d), active, [&](int i) { return sum[i]; });
}

template <class U, bool kSubtract>
void add_chain(Warp& warp, const Code& code, Mask active) {
  const U* a = warp.in<U>(code.a);
  const U* b = warp.in<U>(code.b);
  chain<U, kSubtract>(
      warp, code, active, [a](int i) { return a[i]; }, [b](int i) { return b[i]; });
}
template <class T, bool kHigh>
void mad_chain(Warp& warp, const Code& code, Mask active) {
  using U = std::make_unsigned_t<T>;
  const U* a = warp.in<U>(code.a);
  const U* b = warp.in<U>(code.b);
  const U* c = warp.in<U>(code.c);
  chain<U, false>(
      warp, code, active, [a, b](int i) { return kHigh ? mul_hi<T>(a[i], b[i]) : mul_lo<T>(a[i], b[i]); },
      [c](int i) { return c[i]; });
}

template <class T>
Handler bind_type(const ptx::Instr& instr) {
  using U = std::make_unsigned_t<T>;
  switch (instr.op) {
    case Op::Add:
      return &add_chain<U, false>;
    case Op::Sub:
      return &add_chain<U, true>;
    case Op::Mad:
      if (instr.half == Half::Lo) return &mad_chain<T, false>;
      return instr.half == Half::Hi ? &mad_chain<T, true> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Handler bind_carry(const ptx::Instr& instr) {
  if (instr.sat) return nullptr;
  switch (instr.type) {
    case Type::U32:
    case Type::B32:
      return bind_type<std::uint32_t>(instr);
    case Type::S32:
      return bind_type<std::int32_t>(instr);
    case Type::U64:
    case Type::B64:
      return bind_type<std::uint64_t>(instr);
    case Type::S64:
      return bind_type<std::int64_t>(instr);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
