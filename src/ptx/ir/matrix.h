// What tensor-core instructions have beyond other instructions: a shape, four fragments of up to eight
// registers, and where each element of a matrix lies in them.
//
// Lane 4g + t holds, of a tile of A (8 or 16 rows, k columns) with P elements to a register, in register r
// the row g + 8 (r mod 2) (in tiles of 8 rows: g), the columns tP + e from 4P (r / 2) (in tiles of 8 rows: 4P
// r); of a tile of B (k rows, 8 columns) column g and rows tP + e from 4P r; of a tile of C and D row g + 8
// (i / 2), column 2t + i mod 2 in value i. These are the layouts of mma.sync in the PTX manual.
// Those of wmma are not documented: here they are the tiles of mma.sync one after another (our reading of
// sm_80 and later; tests/cuda/programs/tensor_layouts.cu prints a card's).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ptx/ir/instr.h"
#include "ptx/ir/types.h"

namespace heddle::ptx {

struct MatrixShape {
  std::uint16_t m = 0, n = 0, k = 0;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};
// "m16n8k16", "m8n8" (k is 0); all zero for what is no shape.
MatrixShape parse_shape(std::string_view text);

enum class FragmentPart : std::uint8_t { A, B, C };  // C: accumulators, also D

struct Fragment {
  std::array<Operand, 8> reg{};
  std::uint8_t count = 0;
  friend bool operator==(const Fragment&, const Fragment&) = default;
};

struct MatrixInstr {
  MatrixShape shape;
  Type a_type = Type::None, b_type = Type::None, c_type = Type::None, d_type = Type::None;
  bool satfinite = false;        // integers
  BoolOp bit_op = BoolOp::None;  // b1: .and.popc, .xor.popc
  // WmmaLoad (registers in `d`) and WmmaStore (registers in `c`): their type is a_type.
  FragmentPart part = FragmentPart::C;
  bool column_major = false;
  Fragment d, a, b, c;
  friend bool operator==(const MatrixInstr&, const MatrixInstr&) = default;
};

// Elements of A and B in one register.
constexpr unsigned elements_per_register(Type t) {
  return t == Type::F64 ? 1 : 32 / bits(t);
}
// The type of a fragment's registers.
constexpr Type fragment_register(FragmentPart part, Type element) {
  if (element == Type::F64) return Type::F64;
  if (part == FragmentPart::C && bits(element) == 32) return element;
  return Type::B32;
}
// Registers with different contents. wmma's f16 fragments of A and B have eight registers in every shape:
// what comes behind these repeats them.
unsigned distinct_registers(FragmentPart part, MatrixShape shape, Type element);

// A fragment in memory: `lines` rows, or columns, of `line` elements that follow each other.
struct MatrixExtent {
  std::uint32_t lines = 0, line = 0;
};
MatrixExtent matrix_extent(const MatrixInstr& m);

// Whether there is such an instruction.
bool is_wmma_shape(MatrixShape shape, Type a);
bool is_mma_shape(MatrixShape shape, Type a);

}  // namespace heddle::ptx
