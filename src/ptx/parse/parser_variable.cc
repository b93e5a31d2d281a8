// Variables and their initialisers.
#include <fmt/format.h>

#include <bit>

#include "ptx/parse/parser.h"

namespace heddle::ptx {

void Parser::count_bytes(std::uint64_t size, Spot at) {
  if (size > limits_.max_variable_bytes || (variable_bytes_ += size) > limits_.max_variable_bytes)
    source_.fail(
        at, fmt::format("the variables of this module take more than {} bytes", limits_.max_variable_bytes));
}

// Alignment, vector, type, in any order; the state space is gone.
void Parser::parse_variable_head(Variable& v, Shape& shape) {
  std::uint64_t align = 0;
  while (lexer_.peek().kind == Tok::Dot) {
    const Token t = lexer_.peek();
    if (t.text == ".ptr") break;
    lexer_.skip();
    if (t.text == ".align") {
      align = lexer_.expect_int("an alignment");
      if (!std::has_single_bit(align) || align > (1u << 20))
        source_.fail(t.at, fmt::format("an alignment is a power of two, found {}", align));
    } else if (t.text == ".v2" || t.text == ".v4") {
      shape.vector = t.text == ".v2" ? 2 : 4;
    } else if (t.text == ".texref" || t.text == ".samplerref" || t.text == ".surfref") {
      v.type = Type::B64;
      v.texture = t.text == ".texref";
    } else {
      v.type = type_of(t.text);
      if (v.type == Type::None || v.type == Type::Pred)
        source_.fail(t.at, fmt::format("expected the type of a variable, found {}", describe(t)));
    }
  }
  if (v.type == Type::None)
    lexer_.fail_here(fmt::format("expected a type, found {}", describe(lexer_.peek())));
  shape.element_bytes = bytes(v.type) * shape.vector;
  v.align = align != 0 ? static_cast<std::uint32_t>(align) : shape.element_bytes;
}

void Parser::parse_dimensions(Shape& shape) {
  shape.dimensions.clear();
  while (lexer_.accept('[')) {
    if (shape.dimensions.size() >= limits_.max_nesting)
      lexer_.fail_here("this array has too many dimensions");
    if (lexer_.accept(']')) {
      if (!shape.dimensions.empty()) lexer_.fail_here("only the first dimension may be left out");
      shape.dimensions.push_back(0);
      continue;
    }
    shape.dimensions.push_back(parse_constant(lexer_, limits_.max_nesting).bits);
    lexer_.expect(']', "to close the dimension");
  }
}

void Parser::parse_variables(Space space, const Linkage& linkage) {
  Variable head;
  head.space = space;
  head.external = linkage.external;
  while (lexer_.peek().is_dot(".attribute")) skip_attribute();
  Shape shape;
  // .attribute may also stand between the words of the head.
  if (lexer_.accept_dot(".ptr")) lexer_.fail_here("a variable cannot be .ptr");
  parse_variable_head(head, shape);
  do {
    const Token name = lexer_.expect_name("the name of a variable");
    if (lexer_.accept('<')) {
      // .param .b32 a<4>; declares a0 to a3.
      source_.fail(name.at, "numbered variables are not supported", "declare each variable by its name");
    }
    parse_dimensions(shape);
    finish_variable(head, shape, linkage, name);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the variable");
}

void Parser::finish_variable(Variable v, const Shape& declared, const Linkage& linkage, Token name) {
  v.name = std::string(name.text);
  v.line = name.at.line;
  Shape shape = declared;
  v.size = shape.element_bytes;
  for (const std::uint64_t d : shape.dimensions)
    if (__builtin_mul_overflow(v.size, d, &v.size) || v.size > limits_.max_variable_bytes)
      source_.fail(name.at, fmt::format("'{}' takes more than {} bytes", v.name, limits_.max_variable_bytes));
  if (lexer_.accept('=')) {
    if (v.space != Space::Global && v.space != Space::Const)
      lexer_.fail_here(fmt::format("only .global and .const variables can be initialised, '{}' is .{}",
                                   v.name, ptx::name(v.space)));
    if (v.texture) {
      skip_braces("the texture's attributes");
    } else {
      parse_initialiser(v, shape);
    }
  }
  count_bytes(v.size, name.at);
  declare_variable(std::move(v), linkage, name);
}

void Parser::declare_variable(Variable v, const Linkage& linkage, const Token& name) {
  if (symbols_.depth() > 0) {
    std::vector<Variable>& list = function().variables;
    symbols_.add_symbol(
        name.text,
        Symbol{Symbol::Kind::FunctionVariable, current_, static_cast<std::uint32_t>(list.size()), {}},
        name.at);
    list.push_back(std::move(v));
    return;
  }
  const NameEntry* known = symbols_.find_global(name.text);
  if (known != nullptr && module_.symbols[known->index].kind == Symbol::Kind::Variable) {
    Variable& first = module_.variables[module_.symbols[known->index].index];
    const bool repeatable = first.external || linkage.external || linkage.weak;
    if (repeatable && first.space == v.space && (first.size == v.size || first.size == 0 || v.size == 0)) {
      if (first.external && !v.external) first = std::move(v);
      return;
    }
  }
  symbols_.add_symbol(
      name.text, Symbol{Symbol::Kind::Variable, 0, static_cast<std::uint32_t>(module_.variables.size()), {}},
      name.at);
  module_.variables.push_back(std::move(v));
}

void Parser::parse_initialiser(Variable& v, Shape& shape) {
  const Spot at = lexer_.peek().at;
  const bool open = !shape.dimensions.empty() && shape.dimensions.front() == 0;
  // With [] the initialiser decides the size: read into a growing buffer, one outer element at a time.
  if (open) v.size = 0;
  if (v.size > limits_.max_initializer_bytes || initialiser_bytes_ + v.size > limits_.max_initializer_bytes)
    source_.fail(at, fmt::format("the initialisers of this module take more than {} bytes",
                                 limits_.max_initializer_bytes));
  initialiser_bytes_ += v.size;
  v.init.resize(v.size);
  if (shape.vector > 1) shape.dimensions.push_back(shape.vector);
  if (!open) {
    parse_initialiser_level(v, shape, 0, 0, v.size);
    return;
  }
  std::uint64_t outer = bytes(v.type);
  for (std::size_t i = 1; i < shape.dimensions.size(); ++i)
    if (__builtin_mul_overflow(outer, shape.dimensions[i], &outer))
      source_.fail(at, "this array is too large");
  if (outer == 0) source_.fail(at, "an array with a dimension of 0 cannot be initialised");
  lexer_.expect('{', "to open the initialiser of an array");
  while (!lexer_.peek().is('}')) {
    initialiser_bytes_ += outer;
    if (outer > limits_.max_initializer_bytes || initialiser_bytes_ > limits_.max_initializer_bytes)
      source_.fail(at, fmt::format("the initialisers of this module take more than {} bytes",
                                   limits_.max_initializer_bytes));
    v.init.resize(v.size + outer);
    parse_initialiser_level(v, shape, 1, v.size, outer);
    v.size += outer;
    if (!lexer_.accept(',')) break;
  }
  lexer_.expect('}', "to close the initialiser");
}

// One brace level: elements of dimension `level` from `offset` on, `size` bytes in all.
void Parser::parse_initialiser_level(Variable& v, const Shape& shape, std::size_t level, std::uint64_t offset,
                                     std::uint64_t size) {
  if (!lexer_.peek().is('{')) {
    if (level < shape.dimensions.size() && !(level == 0 && shape.dimensions.size() == 1 && shape.vector > 1))
      lexer_.fail_here(
          fmt::format("expected '{{' for the elements of an array, found {}", describe(lexer_.peek())));
    return parse_initialiser_value(v, offset);
  }
  const Spot open = lexer_.take().at;
  if (level > shape.dimensions.size())
    source_.fail(open,
                 fmt::format("the braces of this initialiser are deeper than the {} dimension(s) of '{}'",
                             shape.dimensions.size(), v.name));
  const bool scalar = level >= shape.dimensions.size();  // a scalar in braces is allowed
  const std::uint64_t count = scalar ? 1 : shape.dimensions[level];
  const std::uint64_t step = count == 0 ? 0 : size / count;
  // { 1, 2, 3 } may also list the elements of all inner dimensions.
  const bool flat = !scalar && level + 1 < shape.dimensions.size() && !lexer_.peek().is('{');
  const std::uint64_t unit = flat ? bytes(v.type) : step;
  std::uint64_t at = offset;
  while (!lexer_.peek().is('}')) {
    if (at + unit > offset + size || unit == 0)
      source_.fail(open, fmt::format("'{}' has more values than its {} bytes", v.name, v.size));
    if (flat) {
      parse_initialiser_value(v, at);
    } else {
      parse_initialiser_level(v, shape, level + 1, at, step);
    }
    at += unit;
    if (!lexer_.accept(',')) break;
  }
  lexer_.expect('}', "to close the initialiser");
}

void Parser::store_value(Variable& v, std::uint64_t offset, std::uint64_t value, Spot at) {
  const unsigned n = bytes(v.type);
  if (offset + n > v.init.size()) source_.fail(at, fmt::format("'{}' has more values than its size", v.name));
  for (unsigned i = 0; i < n && i < 8; ++i) v.init[offset + i] = static_cast<std::byte>(value >> (8 * i));
}

void Parser::parse_initialiser_value(Variable& v, std::uint64_t offset) {
  const Token t = lexer_.peek();
  if (t.kind == Tok::Name && t.text != "WARP_SZ") return parse_address_value(v, offset, ~0ull);
  const bool minus = t.is('-');
  if (t.kind == Tok::F32 || t.kind == Tok::F64 || minus) {
    if (minus) lexer_.skip();
    const Token f = lexer_.peek();
    if (f.kind == Tok::F32 || f.kind == Tok::F64) {
      lexer_.skip();
      const RawOperand raw{f.kind == Tok::F32 ? RawOperand::Kind::F32 : RawOperand::Kind::F64,
                           false,
                           false,
                           0,
                           0,
                           0,
                           f.at,
                           f.text,
                           f.value ^ (!minus ? 0 : f.kind == Tok::F32 ? 1ull << 31 : 1ull << 63),
                           0};
      return store_value(v, offset, decoder_.constant(raw, v.type, "the initialiser"), f.at);
    }
  }
  ConstantValue c = parse_constant(lexer_, limits_.max_nesting);
  if (minus) c.bits = 0 - c.bits;
  if (lexer_.accept('(')) {
    parse_address_value(v, offset, c.bits);
    lexer_.expect(')', "to close the address under a mask");
    return;
  }
  RawOperand raw;
  raw.kind = RawOperand::Kind::Int;
  raw.at = t.at;
  raw.text = t.text;
  raw.value = c.bits;
  store_value(v, offset, decoder_.constant(raw, v.type, "the initialiser"), t.at);
}

// sym, sym+8, generic(sym)+8; with a mask, one byte of such an address: 0xFF00(sym).
void Parser::parse_address_value(Variable& v, std::uint64_t offset, std::uint64_t mask) {
  Token t = lexer_.expect_name("the name of a variable or function");
  Relocation r;
  r.offset = offset;
  r.size = static_cast<std::uint8_t>(bytes(v.type));
  r.generic = t.text == "generic" && lexer_.accept('(');
  if (r.generic) t = lexer_.expect_name("a name in generic()");
  const auto entry = symbols_.find(t.text);
  if (!entry || entry->kind != NameEntry::Kind::Symbol) fail_undefined(t.text, "variable or function", t.at);
  r.symbol = entry->index;
  const auto addends = [&] {
    while (lexer_.peek().is('+') || lexer_.peek().is('-')) {
      const bool minus = lexer_.take().is('-');
      const bool negative = lexer_.accept('-');
      const std::uint64_t a = lexer_.expect_int("an offset");
      r.addend =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(r.addend) + (minus != negative ? 0 - a : a));
    }
  };
  addends();
  if (r.generic) {
    lexer_.expect(')', "to close generic(");
    addends();
  }
  if (mask != ~0ull) {
    const unsigned shift = mask == 0 ? 64 : static_cast<unsigned>(std::countr_zero(mask));
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff)
      source_.fail(t.at,
                   fmt::format("the mask of an address selects one byte, like 0xFF00; found 0x{:X}", mask));
    r.shift = static_cast<std::uint8_t>(shift);
    r.size = 1;
  } else if (r.size != 8 && r.size != 4) {
    source_.fail(t.at, fmt::format("an address does not fit in an element of type .{}", ptx::name(v.type)));
  }
  v.relocations.push_back(r);
}

void Parser::skip_braces(std::string_view what) {
  const Spot at = lexer_.peek().at;
  lexer_.expect('{', fmt::format("to open {}", what));
  for (std::uint64_t depth = 1; depth > 0; lexer_.skip()) {
    if (lexer_.peek().kind == Tok::End)
      source_.fail(at, fmt::format("{} is never closed: expected '}}'", what));
    if (lexer_.peek().is('{')) ++depth;
    if (lexer_.peek().is('}')) --depth;
  }
}

}  // namespace heddle::ptx
