// PTX text as a tree of statements: what passes change and a printer turns into text again.
//
// The decoded module (ptx/ir) knows what instructions mean, but neither how they were written nor what it has
// no use for. The tree is the opposite: it keeps every token of the text and knows only where statements,
// operands and blocks begin and end. So it takes instructions that Heddle cannot execute, and directives that
// it does not know. Comments are not kept.
//
// The n-th instruction of a function's tree, in the order of the text, is `ptx::Function::instrs[n]` of the
// same text parsed by parse_module: whoever needs the meaning of a statement finds it there (edit.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ptx/ir/source.h"
#include "ptx/text/lexer.h"

namespace heddle::ptx::tree {

// What stands between a token and the one before it. PTX has places where a blank may not stand (`%tid.x`).
enum class Gap : std::uint8_t { None, Blank, Line };

// A token.
struct Piece {
  Tok kind = Tok::End;
  Gap gap = Gap::None;
  std::string text;  // as written; strings with their quotes

  bool is(std::string_view as_written) const { return text == as_written; }
  friend bool operator==(const Piece&, const Piece&) = default;
};
using Pieces = std::vector<Piece>;

struct Statement;

// Whatever is none of the others: .version, .loc, .section, .pragma, .branchtargets, a lone ';', and what
// nobody knows. With its ';' where it has one.
struct Directive {
  Pieces pieces;
};

// Registers or variables, up to and with the ';': `.reg .b32 %r<9>;`, `.visible .global .u32 x = 3;`.
struct Declaration {
  Pieces pieces;
};

// `name:`. Where .branchtargets, .calltargets or .callprototype follows, the label is that directive's name:
// nothing may come between the two.
struct Label {
  Piece name;
};

// `@!%p ld.global.u32 %r1, [%rd1+4];`
struct Instruction {
  Pieces guard;                  // '@' and what follows; empty: none
  Piece root;                    // "ld"
  Pieces modifiers;              // ".global", ".u32"
  std::vector<Pieces> operands;  // what commas outside of brackets separate
};

struct Block {
  std::vector<Statement> statements;
};

struct Function {
  Pieces heading;  // ".visible .entry", ".func", attributes
  std::optional<std::vector<Pieces>> returns;
  Piece name;
  std::optional<std::vector<Pieces>> params;  // each ".param .u64 name"
  Pieces performance;                         // ".maxntid 128", ".noreturn"
  std::optional<Block> body;                  // none: a declaration

  bool entry() const;
};

struct Statement {
  Spot at;  // in the text it was read from; line 0: a pass made it
  std::variant<Directive, Declaration, Label, Instruction, Block, Function> what;

  template <class T>
  T* as() {
    return std::get_if<T>(&what);
  }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&what);
  }
};

struct Module {
  std::string file;
  std::string text;  // what it was read from, for messages
  std::vector<Statement> statements;
};

}  // namespace heddle::ptx::tree
