#include "ptx/ir/kind.h"

namespace heddle::ptx {
namespace {

Kind arithmetic(Type type) {
  if (is_half(type)) return Kind::Float16;
  return type == Type::F32 ? Kind::Float32 : type == Type::F64 ? Kind::Float64 : Kind::Integer;
}

}  // namespace

// clang-format off: one line per kind
Kind kind(const Instr& instr) {
  switch (instr.op) {
    case Op::Rcp:
    case Op::Sqrt:
    case Op::Rsqrt:
    case Op::Sin:
    case Op::Cos:
    case Op::Ex2:
    case Op::Lg2:
    case Op::Tanh:
      return Kind::Special;
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Cnot:
    case Op::Lop3:
    case Op::Shl:
    case Op::Shr:
    case Op::Shf:
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
      return Kind::Logic;
    case Op::Setp:
    case Op::Set:
    case Op::Selp:
    case Op::Slct:
    case Op::Testp:
    case Op::Isspacep:
      return Kind::Compare;
    case Op::Mov:
    case Op::Pack:
    case Op::Unpack:
    case Op::Cvta:
      return Kind::Move;
    case Op::Cvt:
    case Op::CvtPack:
      return Kind::Convert;
    case Op::Ld:
    case Op::St:
    case Op::Prefetch:
    case Op::CpAsync:
    case Op::CpAsyncBulk:
    case Op::CpAsyncCommit:
    case Op::CpAsyncWait:
    case Op::WmmaLoad:
    case Op::WmmaStore:
    case Op::LoadMatrix:
    case Op::StoreMatrix:
      return Kind::Memory;
    case Op::Mma:
      return Kind::Tensor;
    case Op::Atom:
    case Op::Red:
      return Kind::Atomic;
    case Op::Tex:
    case Op::Tld4:
    case Op::Txq:
    case Op::Suld:
    case Op::Sust:
    case Op::Sured:
      return Kind::Texture;
    case Op::Bra:
    case Op::BrxIdx:
    case Op::Call:
    case Op::Ret:
    case Op::Exit:
      return Kind::Control;
    case Op::BarSync:
    case Op::BarArrive:
    case Op::BarRed:
    case Op::BarWarp:
    case Op::Membar:
    case Op::Mbarrier:
      return Kind::Barrier;
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Activemask:
    case Op::Redux:
    case Op::Elect:
    case Op::MoveMatrix:
      return Kind::Collective;
    case Op::Trap:
    case Op::Brkpt:
    case Op::Nop:
    case Op::Nanosleep:
      return Kind::Other;
    default:
      return arithmetic(instr.type);
  }
}
// clang-format on

}  // namespace heddle::ptx
