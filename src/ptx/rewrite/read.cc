#include "ptx/rewrite/read.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::ptx::tree {
namespace {

template <std::size_t N>
bool one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

constexpr std::string_view kLinkage[] = {".extern", ".weak", ".common", ".visible"};
constexpr std::string_view kSpaces[] = {".reg",    ".sreg",  ".global", ".const",
                                        ".shared", ".local", ".param",  ".tex"};
constexpr std::string_view kUpToSemicolon[] = {".pragma", ".alias", ".branchtargets", ".calltargets",
                                               ".callprototype"};

// Brackets that are open, as their closing ones.
class Brackets {
 public:
  bool none() const { return open_.empty(); }
  // False: closes what was not opened.
  bool see(const Token& t) {
    if (t.is('(')) open_ += ')';
    if (t.is('[')) open_ += ']';
    if (t.is('{')) open_ += '}';
    if (!t.is(')') && !t.is(']') && !t.is('}')) return true;
    if (open_.empty() || open_.back() != static_cast<char>(t.punct)) return false;
    open_.pop_back();
    return true;
  }

 private:
  std::string open_;
};

class Reader {
 public:
  Reader(const Source& source, const ParseLimits& limits)
      : source_(source), limits_(limits), lexer_(source), end_(source.text.data()) {}

  std::vector<Statement> module_level();
  std::vector<Statement> body_level();

 private:
  using What = decltype(Statement::what);
  const Token& peek() const { return lexer_.peek(); }
  Piece take();
  void take_one(Pieces& to) { to.push_back(take()); }
  void take_to_semicolon(Pieces& to, Spot at, std::string_view what);
  void take_line(Pieces& to);
  void take_numbers(Pieces& to);
  void take_location(Pieces& to);
  void take_braces(Pieces& to, Spot at);
  bool take_known_directive(Pieces& to);
  What directive_or_declaration(Pieces before, Spot at);
  What module_statement();
  What body_statement(std::uint32_t depth);
  What function(Pieces heading);
  Block block(Spot at, std::uint32_t depth);
  Instruction instruction(Pieces guard, Piece root, Spot at);
  std::vector<Pieces> parenthesised();
  Piece take_name(std::string_view what);

  const Source& source_;
  const ParseLimits& limits_;
  Lexer lexer_;
  const char* end_;  // of the token before
  std::uint32_t last_line_ = 0;
};

Piece Reader::take() {
  const Token t = lexer_.take();
  const bool string = t.kind == Tok::String;
  const char* const begin = t.text.data() - (string ? 1 : 0);
  Piece p;
  p.kind = t.kind;
  p.text = string ? fmt::format("\"{}\"", t.text) : std::string(t.text);
  if (begin != end_) p.gap = t.at.line != last_line_ && last_line_ != 0 ? Gap::Line : Gap::Blank;
  end_ = t.text.data() + t.text.size() + (string ? 1 : 0);
  last_line_ = t.at.line;
  return p;
}

Piece Reader::take_name(std::string_view what) {
  if (peek().kind != Tok::Name)
    lexer_.fail_here(fmt::format("expected {}, found {}", what, describe(peek())));
  return take();
}

void Reader::take_to_semicolon(Pieces& to, Spot at, std::string_view what) {
  Brackets brackets;
  for (;;) {
    const Token t = peek();
    if (t.kind == Tok::End || (brackets.none() && t.is('}')))
      source_.fail(at, fmt::format("{} is never closed: expected ';' before {}", what, describe(t)));
    if (!brackets.see(t)) lexer_.fail_here(fmt::format("{} closes nothing in {}", describe(t), what));
    take_one(to);
    if (t.is(';') && brackets.none()) return;
  }
}

// What is not known ends with its ';', or else with its line.
void Reader::take_line(Pieces& to) {
  Brackets brackets;
  while (peek().kind != Tok::End) {
    const Token t = peek();
    if (brackets.none() && (t.is('}') || t.at.line != last_line_)) return;
    if (!brackets.see(t)) lexer_.fail_here(fmt::format("{} closes nothing in this directive", describe(t)));
    take_one(to);
    if (t.is(';') && brackets.none()) return;
  }
}

// 1, 2, 3
void Reader::take_numbers(Pieces& to) {
  while (peek().kind == Tok::Int || peek().kind == Tok::String || peek().is(',')) take_one(to);
}

// .loc FILE LINE COLUMN [, function_name LABEL[+N], inlined_at FILE LINE COLUMN]
void Reader::take_location(Pieces& to) {
  take_numbers(to);
  while (peek().kind == Tok::Name && (peek().text == "function_name" || peek().text == "inlined_at")) {
    const bool names = peek().text == "function_name";
    take_one(to);
    if (names) {
      to.push_back(take_name("a label after function_name"));
      if (peek().is('+')) take_one(to);
    }
    take_numbers(to);
  }
}

void Reader::take_braces(Pieces& to, Spot at) {
  if (!peek().is('{')) lexer_.fail_here(fmt::format("expected '{{', found {}", describe(peek())));
  Brackets brackets;
  do {
    const Token t = peek();
    if (t.kind == Tok::End) source_.fail(at, "this section is never closed: expected '}'");
    if (!brackets.see(t)) lexer_.fail_here(fmt::format("{} closes nothing in this section", describe(t)));
    take_one(to);
  } while (!brackets.none());
}

// False: its end is not known.
bool Reader::take_known_directive(Pieces& to) {
  const Token t = peek();
  if (t.text == ".version" || t.text == ".address_size") {
    take_one(to);
    if (peek().kind == Tok::F64 || peek().kind == Tok::Int) take_one(to);
  } else if (t.text == ".target") {
    take_one(to);
    to.push_back(take_name("a target like sm_75"));
    while (peek().is(',')) {
      take_one(to);
      to.push_back(take_name("a target option"));
    }
  } else if (t.text == ".file") {
    take_one(to);
    take_numbers(to);
  } else if (t.text == ".loc") {
    take_one(to);
    take_location(to);
  } else if (t.text == ".section") {
    take_one(to);
    take_one(to);
    take_braces(to, t.at);
  } else if (one_of(t.text, kUpToSemicolon)) {
    take_to_semicolon(to, t.at, "this directive");
  } else {
    return false;
  }
  return true;
}

Reader::What Reader::directive_or_declaration(Pieces before, Spot at) {
  if (peek().kind == Tok::Dot && one_of(peek().text, kSpaces)) {
    take_to_semicolon(before, at, "this declaration");
    return Declaration{std::move(before)};
  }
  if (before.empty()) {
    if (take_known_directive(before)) return Directive{std::move(before)};
    take_one(before);
  }
  take_line(before);
  return Directive{std::move(before)};
}

Reader::What Reader::module_statement() {
  const Token first = peek();
  Pieces pieces;
  if (first.is(';')) {
    take_one(pieces);
    return Directive{std::move(pieces)};
  }
  if (first.kind != Tok::Dot)
    lexer_.fail_here(
        fmt::format("expected a directive such as .entry or .global, found {}", describe(first)));
  while (peek().kind == Tok::Dot && one_of(peek().text, kLinkage)) take_one(pieces);
  if (peek().is_dot(".entry") || peek().is_dot(".func")) return function(std::move(pieces));
  return directive_or_declaration(std::move(pieces), first.at);
}

std::vector<Pieces> Reader::parenthesised() {
  const Spot at = peek().at;
  Brackets brackets;
  brackets.see(peek());
  take();
  std::vector<Pieces> list;
  Pieces current;
  for (;;) {
    const Token t = peek();
    if (t.kind == Tok::End) source_.fail(at, "this list of parameters is never closed: expected ')'");
    if (!brackets.see(t))
      lexer_.fail_here(fmt::format("{} closes nothing in this list of parameters", describe(t)));
    if (brackets.none()) break;
    if (t.is(',')) {
      list.push_back(std::exchange(current, {}));
      take();
    } else {
      take_one(current);
    }
  }
  take();
  if (!current.empty() || !list.empty()) list.push_back(std::move(current));
  return list;
}

Reader::What Reader::function(Pieces heading) {
  const Spot at = peek().at;
  Function f;
  f.heading = std::move(heading);
  take_one(f.heading);
  while (peek().is_dot(".attribute")) {
    take_one(f.heading);
    Brackets brackets;
    do {
      if (peek().kind == Tok::End || !brackets.see(peek()))
        lexer_.fail_here(fmt::format("expected the end of .attribute, found {}", describe(peek())));
      take_one(f.heading);
    } while (!brackets.none());
  }
  if (peek().is('(')) f.returns = parenthesised();
  f.name = take_name("the name of the function");
  if (peek().is('(')) f.params = parenthesised();
  while (!peek().is('{') && !peek().is(';')) {
    if (peek().kind == Tok::End || peek().is('}'))
      source_.fail(at, fmt::format("expected ';' or a body '{{' after the heading of '{}', found {}",
                                   f.name.text, describe(peek())));
    const bool pragma = peek().is_dot(".pragma");
    if (pragma)
      take_to_semicolon(f.performance, peek().at, "this directive");
    else
      take_one(f.performance);
  }
  const Spot open = peek().at;
  const bool has_body = peek().is('{');
  take();
  if (has_body) f.body = block(open, 1);
  return f;
}

// Behind its '{'.
Block Reader::block(Spot at, std::uint32_t depth) {
  if (depth > limits_.max_nesting)
    source_.fail(at, fmt::format("blocks are nested deeper than {}", limits_.max_nesting));
  Block b;
  for (;;) {
    const Token t = peek();
    if (t.kind == Tok::End) source_.fail(at, "this block is never closed: expected '}'");
    if (t.is('}')) {
      take();
      return b;
    }
    b.statements.push_back({t.at, body_statement(depth)});
  }
}

Reader::What Reader::body_statement(std::uint32_t depth) {
  const Token t = peek();
  Pieces pieces;
  if (t.kind == Tok::Name) {
    Piece name = take();
    if (!peek().is(':')) return instruction({}, std::move(name), t.at);
    take();
    return Label{std::move(name)};
  }
  if (t.is('@')) {
    take_one(pieces);
    if (peek().is('!')) take_one(pieces);
    pieces.push_back(take_name("a predicate after '@'"));
    return instruction(std::move(pieces), take_name("an instruction after the guard"), t.at);
  }
  if (t.is('{')) {
    take();
    return block(t.at, depth + 1);
  }
  if (t.is(';')) {
    take_one(pieces);
    return Directive{std::move(pieces)};
  }
  if (t.kind != Tok::Dot)
    lexer_.fail_here(fmt::format("expected an instruction, a label or a declaration, found {}", describe(t)));
  while (peek().kind == Tok::Dot && one_of(peek().text, kLinkage)) take_one(pieces);
  return directive_or_declaration(std::move(pieces), t.at);
}

Instruction Reader::instruction(Pieces guard, Piece root, Spot at) {
  Instruction i;
  i.guard = std::move(guard);
  i.root = std::move(root);
  while (peek().kind == Tok::Dot) take_one(i.modifiers);
  Brackets brackets;
  Pieces current;
  for (;;) {
    const Token t = peek();
    if (t.kind == Tok::End || (brackets.none() && t.is('}')))
      source_.fail(at, fmt::format("this instruction is never closed: expected ';' before {}", describe(t)));
    if (!brackets.see(t)) lexer_.fail_here(fmt::format("{} closes nothing in this instruction", describe(t)));
    if (brackets.none() && t.is(';')) break;
    if (brackets.none() && t.is(',')) {
      i.operands.push_back(std::exchange(current, {}));
      take();
    } else {
      take_one(current);
    }
  }
  take();
  if (!current.empty() || !i.operands.empty()) i.operands.push_back(std::move(current));
  return i;
}

std::vector<Statement> Reader::module_level() {
  std::vector<Statement> all;
  while (peek().kind != Tok::End) {
    const Spot at = peek().at;
    all.push_back({at, module_statement()});
  }
  return all;
}

std::vector<Statement> Reader::body_level() {
  std::vector<Statement> all;
  while (peek().kind != Tok::End) {
    const Spot at = peek().at;
    all.push_back({at, body_statement(0)});
  }
  return all;
}

void forget_places(std::vector<Statement>& statements) {
  for (Statement& s : statements) {
    s.at = {};
    if (Block* b = s.as<Block>()) forget_places(b->statements);
    if (Function* f = s.as<Function>(); f != nullptr && f->body) forget_places(f->body->statements);
  }
}

std::vector<Statement> read_added(std::string_view text, std::vector<Statement> (Reader::*level)()) {
  static const std::string file = "added by a pass";
  const Source source{text, file};
  const ParseLimits limits;
  Reader reader(source, limits);
  std::vector<Statement> all = (reader.*level)();
  forget_places(all);
  return all;
}

}  // namespace

bool Function::entry() const {
  return std::any_of(heading.begin(), heading.end(), [](const Piece& p) { return p.is(".entry"); });
}

Module read_module(std::string text, std::string file, const ParseLimits& limits) {
  Module m;
  m.file = std::move(file);
  m.text = std::move(text);
  if (m.text.size() > limits.max_text_bytes)
    throw Error(SourcePlace{m.file, 0, 0, {}},
                fmt::format("this PTX text has {} bytes, more than the {} that are accepted", m.text.size(),
                            limits.max_text_bytes));
  const Source source{m.text, m.file};
  m.statements = Reader(source, limits).module_level();
  return m;
}

std::vector<Statement> read_statements(std::string_view text) {
  return read_added(text, &Reader::body_level);
}

std::vector<Statement> read_module_statements(std::string_view text) {
  return read_added(text, &Reader::module_level);
}

}  // namespace heddle::ptx::tree
