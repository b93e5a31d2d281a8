// Constant expressions. Precedence climbing with C's precedences, on 64-bit integers that wrap.
#include <fmt/format.h>

#include <optional>

#include "ptx/text/modifiers.h"
#include "ptx/text/operand.h"

namespace heddle::ptx {
namespace {

struct BinaryOp {
  std::uint16_t punct;
  int precedence;
};
// clang-format off
constexpr BinaryOp kBinary[] = {
    {'*', 10}, {'/', 10}, {'%', 10}, {'+', 9}, {'-', 9}, {punct2('<', '<'), 8}, {punct2('>', '>'), 8},
    {'<', 7}, {'>', 7}, {punct2('<', '='), 7}, {punct2('>', '='), 7}, {punct2('=', '='), 6},
    {punct2('!', '='), 6}, {'&', 5}, {'^', 4}, {'|', 3}, {punct2('&', '&'), 2}, {punct2('|', '|'), 1},
};
// clang-format on

class Evaluator {
 public:
  Evaluator(Lexer& lexer, std::uint32_t max_nesting) : lexer_(lexer), max_nesting_(max_nesting) {}

  ConstantValue conditional() {
    ConstantValue c = binary(1);
    if (!lexer_.accept('?')) return c;
    enter();
    const ConstantValue a = conditional();
    lexer_.expect(':', "between the two values of '?'");
    const ConstantValue b = conditional();
    --depth_;
    return c.bits != 0 ? a : b;
  }

 private:
  void enter() {
    if (++depth_ > max_nesting_) lexer_.fail_here("this constant expression is nested too deeply");
  }

  ConstantValue unary() {
    enter();
    ConstantValue v = unary_inner();
    --depth_;
    return v;
  }

  ConstantValue unary_inner() {
    const Token t = lexer_.peek();
    if (t.kind == Tok::Int) {
      lexer_.skip();
      return {t.value, t.is_unsigned};
    }
    if (t.kind == Tok::Name && t.text == "WARP_SZ") {
      lexer_.skip();
      return {32, false};
    }
    if (lexer_.accept('(')) return parenthesised();
    if (lexer_.accept('-')) {
      ConstantValue v = unary();
      v.bits = 0 - v.bits;
      return v;
    }
    if (lexer_.accept('+')) return unary();
    if (lexer_.accept('~')) {
      ConstantValue v = unary();
      v.bits = ~v.bits;
      return v;
    }
    if (lexer_.accept('!')) return {unary().bits == 0 ? 1u : 0u, false};
    lexer_.fail_here(fmt::format("expected an integer constant, found {}", describe(t)));
  }

  // The '(' is gone: a cast, or an expression.
  ConstantValue parenthesised() {
    const bool to_signed = lexer_.accept_dot(".s64");
    if (to_signed || lexer_.accept_dot(".u64")) {
      lexer_.expect(')', "after the type of a cast");
      return {unary().bits, !to_signed};
    }
    const ConstantValue v = conditional();
    lexer_.expect(')', "to close the expression");
    return v;
  }

  ConstantValue binary(int min_precedence) {
    ConstantValue left = unary();
    for (;;) {
      const Token op = lexer_.peek();
      int precedence = 0;
      if (op.kind == Tok::Punct) {
        for (const BinaryOp& b : kBinary)
          if (b.punct == op.punct) precedence = b.precedence;
      }
      if (precedence == 0 || precedence < min_precedence) return left;
      lexer_.skip();
      const ConstantValue right = binary(precedence + 1);
      left = apply(op, left, right);
    }
  }

  std::uint64_t divide(const Token& op, ConstantValue a, ConstantValue b, bool u) {
    if (b.bits == 0) lexer_.source().fail(op.at, "division by zero in a constant expression");
    const bool quotient = op.punct == '/';
    if (u) return quotient ? a.bits / b.bits : a.bits % b.bits;
    if (b.bits == ~0ull) return quotient ? 0 - a.bits : 0;  // the one signed division that overflows
    const auto x = static_cast<std::int64_t>(a.bits), y = static_cast<std::int64_t>(b.bits);
    return static_cast<std::uint64_t>(quotient ? x / y : x % y);
  }

  ConstantValue apply(const Token& op, ConstantValue a, ConstantValue b) {
    const bool u = a.is_unsigned || b.is_unsigned;
    const auto sa = static_cast<std::int64_t>(a.bits), sb = static_cast<std::int64_t>(b.bits);
    const bool less = u ? a.bits < b.bits : sa < sb;
    // clang-format off
    switch (op.punct) {
      case '*': return {a.bits * b.bits, u};
      case '/': case '%': return {divide(op, a, b, u), u};
      case '+': return {a.bits + b.bits, u};
      case '-': return {a.bits - b.bits, u};
      case punct2('<', '<'): return {b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned};
      case punct2('>', '>'): {
        const unsigned n = b.bits > 63 ? 63 : static_cast<unsigned>(b.bits);
        if (!a.is_unsigned) return {static_cast<std::uint64_t>(sa >> n), false};
        return {b.bits > 63 ? 0 : a.bits >> n, true};
      }
      case '<': return {less, false};
      case '>': return {!less && a.bits != b.bits, false};
      case punct2('<', '='): return {less || a.bits == b.bits, false};
      case punct2('>', '='): return {!less, false};
      case punct2('=', '='): return {a.bits == b.bits, false};
      case punct2('!', '='): return {a.bits != b.bits, false};
      case '&': return {a.bits & b.bits, u};
      case '^': return {a.bits ^ b.bits, u};
      case '|': return {a.bits | b.bits, u};
      case punct2('&', '&'): return {a.bits != 0 && b.bits != 0, false};
      default: return {a.bits != 0 || b.bits != 0, false};
    }
    // clang-format on
  }

  Lexer& lexer_;
  std::uint32_t max_nesting_;
  std::uint32_t depth_ = 0;
};

}  // namespace

ConstantValue parse_constant(Lexer& lexer, std::uint32_t max_nesting) {
  return Evaluator(lexer, max_nesting).conditional();
}

}  // namespace heddle::ptx
