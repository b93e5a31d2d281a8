#include "ptx/assemble/machine_cost.h"

#include "ptx/ir/kind.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kIntegerDivision = 21, kAtomic = 10;

// Without .ftz small operands are scaled before the special-function unit, and results after it.
std::uint32_t approximation(const Instr& in) {
  switch (in.op) {
    case Op::Div:
      return in.full ? 12 : in.ftz ? 2 : 7;
    case Op::Rcp:
      return in.ftz ? 1 : 7;
    case Op::Sin:
    case Op::Cos:
      return 2;
    case Op::Tanh:
      return 1;
    default:
      return in.ftz ? 1 : 6;
  }
}

}  // namespace

bool becomes_call(const Instr& in) {
  switch (in.op) {
    case Op::Div:
    case Op::Rem:
      if (!is_float(in.type)) return bits(in.type) == 64;
      return !in.approx && !in.full;
    case Op::Rcp:
    case Op::Sqrt:
      return !in.approx;
    default:
      return false;
  }
}

bool is_collective(Op op) {
  return op == Op::Shfl || op == Op::Vote || op == Op::Match || op == Op::Activemask || op == Op::Redux;
}

bool writes_memory(const Instr& in) {
  return is_store(in.op) || in.op == Op::Atom || in.op == Op::Red;
}

std::uint32_t machine_instructions(const Instr& in) {
  switch (in.op) {
    case Op::Mov:
      return in.src[0].kind == Operand::Kind::Sreg ? 1 : 0;
    case Op::Pack:
    case Op::Unpack:
    case Op::Cvta:
      return 0;
    case Op::Atom:
    case Op::Red:
      return kAtomic;
    case Op::Div:
    case Op::Rem:
      return is_float(in.type) ? approximation(in) : kIntegerDivision;
    case Op::Bfe:
      return 2;
    default:
      return kind(in) == Kind::Special && in.type == Type::F32 ? approximation(in) : 1;
  }
}

Unit unit_of(const Instr& in) {
  // Reads of parameters keep the places that they have as short ones (expected_latency): eight cycles apart
  // the later ones would come behind the first one's use.
  if (in.folded || (is_load(in.op) && in.space == Space::Param)) return Unit::None;
  if (is_load(in.op) && in.space == Space::Const) return Unit::Constants;
  if (is_load(in.op) || writes_memory(in) || is_collective(in.op) || in.op == Op::Tex || in.op == Op::Tld4)
    return Unit::Memory;
  switch (in.op) {
    case Op::Mul:
    case Op::Mad:
      return in.half == Half::Wide ? Unit::WideProduct : Unit::None;
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Lop3:
    case Op::Shl:
    case Op::Shr:
    case Op::Shf:
    case Op::Prmt:
    case Op::Setp:
    case Op::Selp:
    case Op::Min:
    case Op::Max:
      return bits(in.type) == 32 ? Unit::Logic : Unit::None;
    case Op::Div:
    case Op::Popc:
    case Op::Clz:
    case Op::Bfind:
    case Op::Brev:
      return Unit::Special;
    case Op::Cvt:
      return is_float(in.src_type) && !is_float(in.type) ? Unit::Special : Unit::None;
    default:
      return kind(in) == Kind::Special ? Unit::Special : Unit::None;
  }
}

std::uint32_t cycles(Unit unit) {
  switch (unit) {
    case Unit::None:
      return 1;
    case Unit::Logic:
      return 2;
    case Unit::WideProduct:
    case Unit::Memory:
      return 4;
    default:
      return 8;
  }
}

}  // namespace heddle::ptx
