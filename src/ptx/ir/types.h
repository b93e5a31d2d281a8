// The vocabulary of PTX: types, state spaces, modifiers. One enumerator per spelling of the PTX manual.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::ptx {

enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  U16x2,
  S16x2,
  // Elements of matrices only: tensor-core instructions, and cvt to tf32.
  TF32,
  S4,
  U4,
  B1,
  // Pairs of 8-bit floating-point values: cvt only.
  E4M3x2,
  E5M2x2,
};

// Bits of one value of this type; 1 for Pred, 0 for None.
constexpr unsigned bits(Type t) {
  switch (t) {
    case Type::None:
      return 0;
    case Type::Pred:
    case Type::B1:
      return 1;
    case Type::S4:
    case Type::U4:
      return 4;
    case Type::B8:
    case Type::U8:
    case Type::S8:
      return 8;
    case Type::B16:
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16:
    case Type::E4M3x2:
    case Type::E5M2x2:
      return 16;
    case Type::B32:
    case Type::U32:
    case Type::S32:
    case Type::F32:
    case Type::F16x2:
    case Type::BF16x2:
    case Type::U16x2:
    case Type::S16x2:
    case Type::TF32:
      return 32;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64:
      return 64;
    case Type::B128:
      return 128;
  }
  return 0;
}
constexpr unsigned bytes(Type t) {
  return (bits(t) + 7) / 8;
}
constexpr bool is_signed(Type t) {
  return t == Type::S4 || t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64;
}
constexpr bool is_pair_of_bytes(Type t) {
  return t == Type::E4M3x2 || t == Type::E5M2x2;
}
constexpr bool is_float(Type t) {
  return (t >= Type::F16 && t <= Type::F64) || t == Type::TF32 || is_pair_of_bytes(t);
}

// f16 and bf16, single or paired.
constexpr bool is_half(Type t) {
  return t == Type::F16 || t == Type::F16x2 || t == Type::BF16 || t == Type::BF16x2;
}

std::string_view name(Type t);  // "u32", as PTX spells it, without the dot

enum class Space : std::uint8_t { None, Reg, Generic, Global, Shared, Local, Const, Param };
std::string_view name(Space s);

enum class Round : std::uint8_t {
  None,  // not written: the instruction's default (nearest even for add, mul, ...)
  Rn,
  Rz,
  Rm,
  Rp,
  Rna,  // to a floating-point value
  Rni,
  Rzi,
  Rmi,
  Rpi,  // to an integral value
};

enum class Cmp : std::uint8_t {
  None,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,  // signed, or ordered floating point
  Lo,
  Ls,
  Hi,
  Hs,  // unsigned spellings
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};

enum class BoolOp : std::uint8_t { None, And, Or, Xor };

enum class AtomOp : std::uint8_t { None, Add, And, Or, Xor, Cas, Exch, Inc, Dec, Min, Max };

}  // namespace heddle::ptx
