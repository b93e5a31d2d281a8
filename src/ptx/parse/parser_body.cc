// Statements of a function's body.
#include <fmt/format.h>

#include "ptx/parse/parser.h"

namespace heddle::ptx {

void Parser::parse_body(std::uint32_t index, Spot at) {
  current_ = index;
  symbols_.begin_function(function());
  instr_buffer_.clear();
  function().instrs.swap(instr_buffer_);
  symbols_.push_scope(at);
  const auto add_formals = [&](const std::vector<Variable>& list, Symbol::Kind kind) {
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      if (list[i].name == "_") continue;
      symbols_.add_symbol(symbols_.keep_copy(list[i].name), Symbol{kind, current_, i, {}}, {list[i].line, 0});
    }
  };
  add_formals(function().returns, Symbol::Kind::ReturnFormal);
  add_formals(function().params, Symbol::Kind::Formal);
  lexer_.expect('{', "to open the body");
  const std::size_t outermost = symbols_.depth();
  for (;;) {
    const Token t = lexer_.peek();
    if (t.kind == Tok::End)
      source_.fail(at, fmt::format("the body of '{}' is never closed: expected '}}'", function().name));
    if (t.is('}')) {
      lexer_.skip();
      if (symbols_.depth() == outermost) break;
      symbols_.pop_scope();
    } else {
      parse_statement();
    }
  }
  finish_body(at);
}

// A body may end without ret, or with a label behind its last instruction.
void Parser::finish_body(Spot at) {
  std::vector<Instr>& instrs = function().instrs;
  bool ends = false;
  if (!instrs.empty()) {
    const Instr& last = instrs.back();
    ends = last.guard.kind == Operand::Kind::None &&
           (last.op == Op::Ret || last.op == Op::Exit || last.op == Op::Bra || last.op == Op::BrxIdx);
  }
  if (!ends || symbols_.has_label_at(static_cast<std::uint32_t>(instrs.size()))) {
    Instr ret;
    ret.op = Op::Ret;
    ret.line = instrs.empty() ? at.line : instrs.back().line;
    ret.column = instrs.empty() ? at.column : instrs.back().column;
    instrs.push_back(ret);
  }
  symbols_.end_function();
  // What the function keeps is exactly as large as it must be; the buffer goes to the next one.
  std::vector<Instr> exact(instrs);
  instr_buffer_.swap(instrs);
  instrs = std::move(exact);
}

void Parser::parse_statement() {
  const Token t = lexer_.peek();
  if (t.kind == Tok::Name) {
    lexer_.skip();
    if (lexer_.accept(':')) return parse_labelled(t);
    return parse_instruction(t, {});
  }
  if (t.kind == Tok::Dot) return parse_body_directive();
  if (t.is('@')) {
    const Operand guard = parse_guard();
    return parse_instruction(lexer_.expect_name("an instruction after the guard"), guard);
  }
  if (t.is('{')) {
    lexer_.skip();
    return symbols_.push_scope(t.at);
  }
  if (lexer_.accept(';')) return;
  lexer_.fail_here(fmt::format("expected an instruction, a label or a declaration, found {}", describe(t)));
}

void Parser::parse_body_directive() {
  const Token t = lexer_.peek();
  if (t.text == ".reg") return parse_registers();
  if (t.text == ".loc") return skip_location();
  if (t.text == ".file") return skip_file();
  if (t.text == ".pragma") return parse_pragma(&function());
  if (t.text == ".section") return skip_section();
  const Linkage linkage = parse_linkage();
  const Token what = lexer_.peek();
  const Space space = what.kind == Tok::Dot ? space_of(what.text) : Space::None;
  if (space == Space::None)
    lexer_.fail_here(fmt::format(
        "expected .reg, .local, .shared, .param or another directive of a body, found {}", describe(what)));
  lexer_.skip();
  parse_variables(space, linkage);
}

void Parser::parse_labelled(const Token& label) {
  const Token t = lexer_.peek();
  if (t.is_dot(".branchtargets")) return parse_branch_targets(label);
  if (t.is_dot(".calltargets")) return parse_call_targets(label);
  if (t.is_dot(".callprototype")) return parse_call_prototype(label);
  symbols_.define_label(label.text, static_cast<std::uint32_t>(function().instrs.size()), label.at);
}

void Parser::parse_registers() {
  lexer_.skip();
  const Token t = lexer_.take();
  if (t.is_dot(".v2") || t.is_dot(".v4"))
    source_.fail(t.at, "vector registers are not supported", "declare one register per element");
  const Type type = t.kind == Tok::Dot ? type_of(t.text) : Type::None;
  if (type == Type::None)
    source_.fail(t.at, fmt::format("expected the type of a register, found {}", describe(t)));
  if (bits(type) == 8) source_.fail(t.at, fmt::format("registers cannot be of type .{}", name(type)));
  do {
    const Token n = lexer_.expect_name("the name of a register");
    if (lexer_.accept('<')) {
      const std::uint64_t count = lexer_.expect_int("the number of registers");
      lexer_.expect('>', "after the number of registers");
      symbols_.add_register_family(n.text, count, type, n.at);
    } else {
      symbols_.add_register(n.text, type, n.at);
    }
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the registers");
}

void Parser::parse_branch_targets(const Token& label) {
  lexer_.skip();
  const auto table = static_cast<std::uint32_t>(function().branch_tables.size());
  function().branch_tables.emplace_back();
  do {
    const Token t = lexer_.expect_name("a label");
    auto& entries = function().branch_tables[table];
    symbols_.use_label_in_table(t.text, table, static_cast<std::uint32_t>(entries.size()), t.at);
    entries.push_back(kNoTarget);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after .branchtargets");
  symbols_.add_name(label.text, {NameEntry::Kind::BranchTable, table, label.at});
}

// The targets share one signature, so the first stands for the prototype.
void Parser::parse_call_targets(const Token& label) {
  lexer_.skip();
  std::uint32_t prototype = kNoTarget;
  do {
    const Token t = lexer_.expect_name("a function's name");
    const NameEntry* e = symbols_.find_global(t.text);
    if (e == nullptr || module_.symbols[e->index].kind != Symbol::Kind::Function)
      fail_undefined(t.text, "function", t.at);
    if (prototype == kNoTarget) prototype = module_.symbols[e->index].index;
  } while (lexer_.accept(','));
  lexer_.expect(';', "after .calltargets");
  symbols_.add_name(label.text, {NameEntry::Kind::Prototype, prototype, label.at});
}

// name: .callprototype (.param .b32 _) _ (.param .b64 _);
void Parser::parse_call_prototype(const Token& label) {
  lexer_.skip();
  Function f;
  f.name = std::string(label.text);
  f.line = label.at.line;
  f.external = true;
  f.prototype = true;
  if (lexer_.peek().is('(')) f.returns = parse_formals();
  lexer_.expect_name("'_' in .callprototype");
  if (lexer_.peek().is('(')) f.params = parse_formals();
  lay_out_params(f);
  parse_performance_directives(f);
  lexer_.expect(';', "after .callprototype");
  module_.functions.push_back(std::move(f));
  const auto index = static_cast<std::uint32_t>(module_.functions.size() - 1);
  symbols_.rebind_function(function());
  symbols_.add_name(label.text, {NameEntry::Kind::Prototype, index, label.at});
}

Operand Parser::parse_guard() {
  lexer_.skip();
  RawOperand raw;
  raw.at = lexer_.peek().at;
  raw.negated = lexer_.accept('!');
  raw.text = lexer_.expect_name("a predicate after '@'").text;
  return decoder_.predicate(raw, function(), "the guard");
}

void Parser::parse_instruction(const Token& root, const Operand& guard) {
  if (++instructions_ > limits_.max_instructions)
    source_.fail(root.at, fmt::format("more than {} instructions", limits_.max_instructions));
  modifiers_.clear();
  while (lexer_.peek().kind == Tok::Dot)
    if (!modifiers_.add(lexer_.take())) lexer_.fail_here("this instruction has too many modifiers");
  Instr& instr = function().instrs.emplace_back();
  instr.guard = guard;
  instr.line = root.at.line;
  instr.column = root.at.column;
  if (root.text == "call") {
    parse_call(instr);
  } else {
    operand_parser_.parse_list(operands_);
    const auto refusal =
        decoder_.decode(instr, root, modifiers_, operands_, function(), unsupported_ != nullptr);
    if (refusal) {
      unsupported_->push_back(
          {refusal->instruction, function().name, refusal->reason, root.at.line, root.at.column});
      instr = Instr{};
      instr.op = Op::Trap;
      instr.guard = guard;
      instr.line = root.at.line;
      instr.column = root.at.column;
    }
  }
}

}  // namespace heddle::ptx
