#include <fmt/format.h>

#include "ptx/text/operand.h"

namespace heddle::ptx {
namespace {

// Wider than any vector of PTX (tensor-core instructions list 64 registers, tcgen05 128).
constexpr std::size_t kMaxElements = 256;

}  // namespace

void OperandParser::parse_list(RawOperands& out) {
  out.clear();
  if (lexer_.accept(';')) return;
  do {
    if (out.list.size() >= kMaxElements) lexer_.fail_here("this instruction has too many operands");
    out.list.push_back(parse_operand(out));
  } while (lexer_.accept(','));
  if (!lexer_.accept(';'))
    lexer_.fail_here(fmt::format("expected ',' or ';' after an operand, found {}", describe(lexer_.peek())));
}

std::uint16_t OperandParser::store(RawOperands& out, const std::vector<RawOperand>& items) {
  if (out.pool.size() + items.size() > 60000) lexer_.fail_here("this instruction has too many operands");
  const auto first = static_cast<std::uint16_t>(out.pool.size());
  out.pool.insert(out.pool.end(), items.begin(), items.end());
  return first;
}

RawOperand OperandParser::parse_operand(RawOperands& out) {
  if (lexer_.peek().is('{')) {
    RawOperand v = parse_vector(out);
    if (!lexer_.accept('|')) return v;
    out.pool.push_back(parse_primary());
    v.pair = static_cast<std::uint16_t>(out.pool.size());
    out.paired_vector = true;
    return v;
  }
  if (lexer_.peek().is('[')) return parse_address(out);
  RawOperand o = parse_primary();
  if (o.kind == RawOperand::Kind::Int || !lexer_.accept('|')) return o;
  out.pool.push_back(parse_primary());
  o.pair = static_cast<std::uint16_t>(out.pool.size());
  return o;
}

RawOperand OperandParser::parse_primary() {
  const Token t = lexer_.peek();
  if (t.kind == Tok::Name && t.text != "WARP_SZ") return parse_named();
  RawOperand o;
  o.at = t.at;
  o.text = t.text;
  if (t.is('!')) {
    // Either a negated predicate or a logical not: look one token further by taking the '!'.
    lexer_.skip();
    if (lexer_.peek().kind == Tok::Name && lexer_.peek().text != "WARP_SZ") {
      o = parse_named();
      o.at = t.at;
      o.negated = true;
      return o;
    }
    o.kind = RawOperand::Kind::Int;
    o.value = parse_constant(lexer_, max_nesting_).bits == 0;
    return o;
  }
  bool minus = false;
  if (t.is('-')) {
    lexer_.skip();
    minus = true;
  }
  const Token n = lexer_.peek();
  if (n.kind == Tok::F32 || n.kind == Tok::F64) {
    lexer_.skip();
    o.kind = n.kind == Tok::F32 ? RawOperand::Kind::F32 : RawOperand::Kind::F64;
    o.value = n.value ^ (!minus ? 0 : n.kind == Tok::F32 ? 1ull << 31 : 1ull << 63);
    return o;
  }
  if (n.kind != Tok::Int && n.kind != Tok::Name && n.kind != Tok::Punct)
    lexer_.fail_here(fmt::format("expected an operand, found {}", describe(n)));
  if (n.kind == Tok::Punct && !n.is('(') && !n.is('-') && !n.is('~') && !n.is('+') && !n.is('!'))
    lexer_.fail_here(fmt::format("expected an operand, found {}", describe(n)));
  const ConstantValue v = parse_constant(lexer_, max_nesting_);
  o.kind = RawOperand::Kind::Int;
  o.value = minus ? 0 - v.bits : v.bits;
  o.is_unsigned = v.is_unsigned;
  return o;
}

RawOperand OperandParser::parse_named() {
  const Token t = lexer_.take();
  RawOperand o;
  o.at = t.at;
  o.text = t.text;
  if (t.text == "_") {
    o.kind = RawOperand::Kind::Sink;
    return o;
  }
  // %tid.x is one name; so is the selector of a video instruction (%r1.b3210), refused later.
  if (lexer_.peek().kind == Tok::Dot && lexer_.peek().text.data() == t.text.data() + t.text.size())
    o.text = std::string_view(t.text.data(), t.text.size() + lexer_.take().text.size());
  parse_addend(o);
  return o;
}

// `+4`, `+-8`, `-4`, any number of them.
void OperandParser::parse_addend(RawOperand& o) {
  while (lexer_.peek().is('+') || lexer_.peek().is('-')) {
    const bool minus = lexer_.take().is('-');
    const bool negative = lexer_.accept('-');
    std::uint64_t v = 0;
    if (lexer_.peek().kind == Tok::Int) {
      v = lexer_.take().value;
    } else if (lexer_.peek().is('(')) {
      v = parse_constant(lexer_, max_nesting_).bits;
    } else {
      lexer_.fail_here(fmt::format("expected an integer offset, found {}", describe(lexer_.peek())));
    }
    if (minus != negative) v = 0 - v;
    o.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(o.offset) + v);
  }
}

RawOperand OperandParser::parse_vector(RawOperands& out) {
  RawOperand o;
  o.kind = RawOperand::Kind::Vector;
  o.at = lexer_.peek().at;
  o.text = lexer_.take().text;
  std::vector<RawOperand>& items = elements_;
  items.clear();
  do {
    if (items.size() >= kMaxElements) lexer_.fail_here("this vector has too many elements");
    items.push_back(parse_primary());
  } while (lexer_.accept(','));
  lexer_.expect('}', "to close the vector");
  o.first = store(out, items);
  o.count = static_cast<std::uint16_t>(items.size());
  return o;
}

RawOperand OperandParser::parse_address(RawOperands& out) {
  RawOperand o;
  o.kind = RawOperand::Kind::Address;
  o.at = lexer_.peek().at;
  o.text = lexer_.take().text;
  std::vector<RawOperand>& items = parts_;
  items.clear();
  do {
    if (items.size() >= kMaxElements) lexer_.fail_here("this address has too many parts");
    items.push_back(lexer_.peek().is('{') ? parse_vector(out) : parse_primary());
  } while (lexer_.accept(','));
  lexer_.expect(']', "to close the address");
  o.first = store(out, items);
  o.count = static_cast<std::uint16_t>(items.size());
  return o;
}

}  // namespace heddle::ptx
