// Which class of work an instruction is (workload::InstrClass says what the classes mean).
#include <algorithm>

#include "exec/link/static_code.h"

namespace heddle::exec {
namespace {

using ptx::Half;
using ptx::Instr;
using ptx::Op;
using ptx::Type;
using workload::InstrClass;

enum class Number : std::uint8_t { Integer, Integer64, Half, Float, Double };

Number number(Type type) {
  if (ptx::is_half(type)) return Number::Half;
  if (type == Type::F32) return Number::Float;
  if (type == Type::F64) return Number::Double;
  return ptx::bits(type) == 64 ? Number::Integer64 : Number::Integer;
}

InstrClass by_type(Type type, InstrClass integer, InstrClass integer64, InstrClass single, InstrClass twice) {
  switch (number(type)) {
    case Number::Integer:
      return integer;
    case Number::Integer64:
      return integer64;
    case Number::Half:
      return InstrClass::HalfMath;
    case Number::Float:
      return single;
    case Number::Double:
      return twice;
  }
  return InstrClass::Other;
}

InstrClass add(Type t) {
  return by_type(t, InstrClass::IntAdd, InstrClass::Int64Add, InstrClass::FloatAdd, InstrClass::DoubleAdd);
}
InstrClass min_max(Type t) {
  return by_type(t, InstrClass::IntMinMax, InstrClass::Int64Add, InstrClass::FloatMinMax,
                 InstrClass::DoubleMinMax);
}
InstrClass multiply(Type t) {
  return by_type(t, InstrClass::IntMul, InstrClass::Int64Mul, InstrClass::FloatMul, InstrClass::DoubleMul);
}
InstrClass multiply_add(Type t) {
  return by_type(t, InstrClass::IntMad, InstrClass::Int64Mul, InstrClass::FloatMad, InstrClass::DoubleMad);
}
// An approximation is one pass of the special-function unit, except of doubles.
InstrClass divide(const Instr& in) {
  if (number(in.type) == Number::Float && (in.approx || in.full)) return InstrClass::Special;
  return by_type(in.type, InstrClass::IntDiv, InstrClass::IntDiv, InstrClass::FloatDiv,
                 InstrClass::DoubleDiv);
}

}  // namespace

InstrClass instruction_class(const Instr& in) {
  switch (in.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
      return add(in.type);
    case Op::Abs:
      return ptx::is_float(in.type) ? add(in.type) : min_max(in.type);
    case Op::Mul:
      return multiply(in.type);
    case Op::Mad:
    case Op::Fma:
      return multiply_add(in.type);
    case Op::Mul24:
      return InstrClass::IntMul;
    case Op::Mad24:
    case Op::Sad:
    case Op::Dp4a:
    case Op::Dp2a:
    case Op::Vabsdiff4:
    case Op::Vabsdiff2:
      return InstrClass::IntMad;
    case Op::Div:
    case Op::Rem:
    case Op::Rcp:
    case Op::Sqrt:
      return divide(in);
    case Op::Rsqrt:
      return in.type == Type::F64 ? InstrClass::DoubleDiv : InstrClass::Special;
    case Op::Sin:
    case Op::Cos:
    case Op::Ex2:
    case Op::Lg2:
    case Op::Tanh:
      return InstrClass::Special;
    case Op::Min:
    case Op::Max:
    case Op::Selp:
    case Op::Slct:
    case Op::Setp:
    case Op::Testp:
    case Op::Copysign:
      return min_max(in.type);
    case Op::Set:
      return min_max(in.src_type);
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Cnot:
    case Op::Lop3:
    case Op::Shl:
    case Op::Shr:
    case Op::Shf:
      return add(in.type);
    case Op::Bfe:
    case Op::Bfi:
    case Op::Bfind:
    case Op::Brev:
    case Op::Popc:
    case Op::Clz:
    case Op::Prmt:
    case Op::Bmsk:
    case Op::Szext:
    case Op::Fns:
      return InstrClass::Bits;
    case Op::Mov:
      return in.src[0].kind == ptx::Operand::Kind::Sreg &&
                     static_cast<ptx::Sreg>(in.src[0].index) >= ptx::kFirstDynamicSreg
                 ? InstrClass::ReadClock
                 : InstrClass::Move;
    case Op::Pack:
    case Op::Unpack:
      return InstrClass::Move;
    case Op::Cvt:
    case Op::CvtPack:
      return InstrClass::Convert;
    case Op::Cvta:
    case Op::Isspacep:
      return InstrClass::AddressSpace;
    case Op::Mma:
      return in.type == Type::F64 ? InstrClass::TensorDouble : InstrClass::Tensor;
    case Op::Shfl:
    case Op::Redux:
    case Op::Match:
    case Op::MoveMatrix:
      return InstrClass::Shuffle;
    case Op::Vote:
    case Op::Activemask:
    case Op::Elect:
    case Op::BarWarp:
      return InstrClass::Vote;
    case Op::Bra:
    case Op::BrxIdx:
    case Op::Call:
    case Op::Ret:
    case Op::Exit:
      return InstrClass::Branch;
    case Op::BarSync:
    case Op::BarArrive:
    case Op::BarRed:
      return InstrClass::Barrier;
    case Op::Membar:
    case Op::CpAsyncWait:
      return InstrClass::Fence;
    case Op::Mbarrier:
      return in.mbarrier == ptx::MbarrierOp::PendingCount ? InstrClass::Bits
             : in.mbarrier == ptx::MbarrierOp::TestWait   ? InstrClass::LoadShared
                                                          : InstrClass::AtomicShared;
    case Op::Tex:
    case Op::Tld4:
    case Op::Suld:
      return InstrClass::Texture;
    case Op::Sust:
      return InstrClass::Store;
    case Op::Sured:
      return InstrClass::Atomic;
    case Op::CpAsyncBulk:
      return in.bulk == ptx::BulkCopy::SharedToGlobal ? InstrClass::Store : InstrClass::Load;
    case Op::CpAsync:
      return InstrClass::Load;
    default:
      return InstrClass::Other;
  }
}

// A tensor core's work grows with the bits of the factors: half as many tf32 products per cycle as of f16,
// twice as many of bytes (NVIDIA, A100 and H100 whitepapers: dense rates).
std::uint8_t matrix_passes(const ptx::MatrixInstr& m) {
  const std::uint32_t products = std::uint32_t{m.shape.m} * m.shape.n * m.shape.k;
  const std::uint32_t pass = m.a_type == Type::F64 ? 8 * 8 * 4 * 64 : 16 * 8 * 8 * 16;
  return static_cast<std::uint8_t>(std::max(1u, products * ptx::bits(m.a_type) / pass));
}

std::uint8_t instruction_repeat(const Instr& in) {
  const InstrClass c = instruction_class(in);
  const bool twice = (c == InstrClass::IntDiv || c == InstrClass::Bits) && ptx::bits(in.type) == 64;
  // Per value that match.any finds; redux and match.all take as long.
  const bool across = in.op == Op::Match || in.op == Op::Redux;
  return twice || across ? 2 : 1;
}

}  // namespace heddle::exec
