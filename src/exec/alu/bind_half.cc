#include "exec/alu/approx.h"
#include "exec/alu/bind.h"
#include "exec/alu/half_ops.h"
#include "exec/alu/half_vectors.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;
using ptx::Type;

// The handler of a 16-bit function, for one value or a pair.
template <auto F>
Handler one1(bool pair) {
  return pair ? lanes<pair1<F>> : lanes<F>;
}
template <auto F>
Handler one2(bool pair) {
  return pair ? lanes<pair2<F>> : lanes<F>;
}
template <auto F>
Handler one3(bool pair) {
  return pair ? lanes<pair3<F>> : lanes<F>;
}

template <class H, bool kFtz, Post P>
Handler arithmetic(Op op, bool pair) {
  switch (op) {
    case Op::Add:
      return one2<add_half<H, kFtz, P>>(pair);
    case Op::Sub:
      return one2<sub_half<H, kFtz, P>>(pair);
    case Op::Mul:
      return one2<mul_half<H, kFtz, P>>(pair);
    case Op::Fma:
    case Op::Mad:
      return one3<fma_half<H, kFtz, P>>(pair);
    default:
      return nullptr;
  }
}

template <class H, bool kMax, bool kFtz>
Handler min_max(const ptx::Instr& instr, bool pair) {
  if (instr.xorsign_abs) {
    return instr.nan ? one2<min_max_half<H, kMax, kFtz, true, true>>(pair)
                     : one2<min_max_half<H, kMax, kFtz, false, true>>(pair);
  }
  return instr.nan ? one2<min_max_half<H, kMax, kFtz, true, false>>(pair)
                   : one2<min_max_half<H, kMax, kFtz, false, false>>(pair);
}

template <class H, bool kFtz>
Handler bind_format(const ptx::Instr& instr, bool pair) {
  switch (instr.op) {
    case Op::Abs:
      return one1<abs_half<H, kFtz>>(pair);
    case Op::Neg:
      return one1<neg_half<H, kFtz>>(pair);
    case Op::Min:
      return min_max<H, false, kFtz>(instr, pair);
    case Op::Max:
      return min_max<H, true, kFtz>(instr, pair);
    case Op::Ex2:
      return one1<ex2_half<H, kFtz>>(pair);
    case Op::Tanh:
      return one1<tanh_half<H>>(pair);
    default:
      break;
  }
  if (instr.round != Round::None && instr.round != Round::Rn) return nullptr;
  if (instr.relu) return instr.op == Op::Fma ? arithmetic<H, kFtz, Post::Relu>(instr.op, pair) : nullptr;
  return instr.sat ? arithmetic<H, kFtz, Post::Sat>(instr.op, pair)
                   : arithmetic<H, kFtz, Post::None>(instr.op, pair);
}

}  // namespace

Handler bind_half(const ptx::Instr& instr) {
  const bool pair = instr.type == Type::F16x2 || instr.type == Type::BF16x2;
  if (instr.type == Type::BF16 || instr.type == Type::BF16x2) {
    return instr.ftz ? bind_format<Bhalf, true>(instr, pair) : bind_format<Bhalf, false>(instr, pair);
  }
  const bool plain =
      !instr.ftz && !instr.sat && !instr.relu && (instr.round == Round::None || instr.round == Round::Rn);
  if (plain)
    if (const Handler h = half_arithmetic(instr.op, pair); h != nullptr) return h;
  return instr.ftz ? bind_format<Half, true>(instr, pair) : bind_format<Half, false>(instr, pair);
}

}  // namespace heddle::exec::alu
