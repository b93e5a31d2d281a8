#include "exec/memory/atomic_ops.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "exec/alu/float_ops.h"
#include "exec/alu/half_ops.h"

namespace heddle::exec {
namespace {

using ptx::AtomOp;
using ptx::Instr;
using ptx::Type;

template <class To, class From>
To as(From v) {
  return std::bit_cast<To>(v);
}

constexpr auto add_f16 = alu::add_half<alu::Half, false, alu::Post::None>;
constexpr auto add_bf16 = alu::add_half<alu::Bhalf, false, alu::Post::None>;

std::uint32_t add_float(Type type, std::uint32_t a, std::uint32_t b, bool flush) {
  using ptx::Round;
  switch (type) {
    case Type::F32:
      return as<std::uint32_t>(flush ? alu::add_f32<Round::Rn, true, false>(as<float>(a), as<float>(b))
                                     : alu::add_f32<Round::Rn, false, false>(as<float>(a), as<float>(b)));
    case Type::F16:
      return add_f16(a, b);
    case Type::BF16:
      return add_bf16(a, b);
    case Type::F16x2:
      return alu::pair2<add_f16>(a, b);
    case Type::BF16x2:
      return alu::pair2<add_bf16>(a, b);
    default:
      return a + b;
  }
}

// What an H200 does with NaNs: global memory keeps one as it is, the operand's first; shared memory makes it
// quiet, the cell's first.
std::uint64_t add_double(std::uint64_t old, std::uint64_t b, bool global) {
  const double cell = as<double>(old), operand = as<double>(b);
  if (global && operand != operand) return b;
  if (global && cell != cell) return old;
  return as<std::uint64_t>(alu::add_f64(operand, cell));
}

// The new value of a memory cell. In global memory subnormal f32 sums are flushed to zero.
template <class U>
U apply(const Instr& in, U old, U b, U c, bool global) {
  using S = std::make_signed_t<U>;
  const bool is_signed = ptx::is_signed(in.type);
  switch (in.atom) {
    case AtomOp::Add:
      if constexpr (sizeof(U) == 8) {
        return in.type == Type::F64 ? add_double(old, b, global) : old + b;
      } else {
        return ptx::is_float(in.type) ? static_cast<U>(add_float(in.type, old, b, global))
                                      : static_cast<U>(old + b);
      }
    case AtomOp::And:
      return old & b;
    case AtomOp::Or:
      return old | b;
    case AtomOp::Xor:
      return old ^ b;
    case AtomOp::Exch:
      return b;
    case AtomOp::Cas:
      return old == b ? c : old;
    case AtomOp::Inc:
      return old >= b ? 0 : static_cast<U>(old + 1);
    case AtomOp::Dec:
      return old == 0 || old > b ? b : static_cast<U>(old - 1);
    case AtomOp::Min:
      return is_signed ? static_cast<U>(std::min(static_cast<S>(old), static_cast<S>(b))) : std::min(old, b);
    case AtomOp::Max:
      return is_signed ? static_cast<U>(std::max(static_cast<S>(old), static_cast<S>(b))) : std::max(old, b);
    case AtomOp::None:
      break;
  }
  return old;
}

}  // namespace

std::uint32_t apply_atomic(const Instr& in, std::uint32_t old, std::uint32_t b, std::uint32_t c,
                           bool global) {
  return apply(in, old, b, c, global);
}
std::uint64_t apply_atomic(const Instr& in, std::uint64_t old, std::uint64_t b, std::uint64_t c,
                           bool global) {
  return apply(in, old, b, c, global);
}

}  // namespace heddle::exec
