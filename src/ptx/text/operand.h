// Operands as written, before the instruction says what types they have.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ptx/text/lexer.h"

namespace heddle::ptx {

struct RawOperand {
  enum class Kind : std::uint8_t {
    Name,     // register, special register, label, variable, function; `offset` for name+4
    Int,      // value
    F32,      // value: bits
    F64,      // value: bits
    Sink,     // _
    Vector,   // {a, b}: children
    Address,  // [a+offset] or [a, b, {c, d}]: children, the offset is in the first child
  };
  Kind kind = Kind::Name;
  bool negated = false;      // !name
  bool is_unsigned = false;  // Int
  std::uint16_t first = 0;   // children: RawOperands::pool[first .. first + count)
  std::uint16_t count = 0;
  std::uint16_t pair = 0;  // p|q: pool[pair - 1] is q; 0: none
  Spot at;
  std::string_view text;
  std::uint64_t value = 0;
  std::int64_t offset = 0;
};

// The operands of one instruction. Kept by the parser and refilled, to save allocations.
struct RawOperands {
  std::vector<RawOperand> list;
  std::vector<RawOperand> pool;
  bool paired_vector = false;  // {a, b}|p: only texture instructions have it

  void clear() {
    list.clear();
    pool.clear();
    paired_vector = false;
  }
  std::span<const RawOperand> children(const RawOperand& o) const {
    return std::span(pool).subspan(o.first, o.count);
  }
};

// Integer constant expressions (PTX manual, 4.6): 64 bits, signed unless an operand is unsigned.
struct ConstantValue {
  std::uint64_t bits = 0;
  bool is_unsigned = false;
};
ConstantValue parse_constant(Lexer& lexer, std::uint32_t max_nesting);

class OperandParser {
 public:
  OperandParser(Lexer& lexer, std::uint32_t max_nesting) : lexer_(lexer), max_nesting_(max_nesting) {}
  // Everything up to and including ';'.
  void parse_list(RawOperands& out);

 private:
  RawOperand parse_operand(RawOperands& out);
  RawOperand parse_primary();
  RawOperand parse_named();
  RawOperand parse_vector(RawOperands& out);
  RawOperand parse_address(RawOperands& out);
  void parse_addend(RawOperand& o);
  std::uint16_t store(RawOperands& out, const std::vector<RawOperand>& items);

  Lexer& lexer_;
  std::uint32_t max_nesting_;
  std::vector<RawOperand> elements_, parts_;  // of the vector, of the address being read
};

}  // namespace heddle::ptx
