// call: direct, or through a register with a prototype.
#include <fmt/format.h>

#include "ptx/parse/parser.h"

namespace heddle::ptx {

void Parser::fail_undefined(std::string_view name, std::string_view kind, Spot at) {
  source_.fail(at, fmt::format("'{}' is not a {} known here", name, kind), symbols_.suggest(name));
}

// ( a, b ): names of .param variables.
std::vector<std::uint32_t> Parser::parse_call_list(std::vector<Spot>& spots) {
  std::vector<std::uint32_t> list;
  lexer_.expect('(', "to open a list of arguments");
  if (lexer_.accept(')')) return list;
  do {
    const Token t = lexer_.peek();
    if (t.kind != Tok::Name)
      lexer_.fail_here(fmt::format("expected the name of a .param variable, found {}", describe(t)),
                       "store the value in a .param variable with st.param first");
    lexer_.skip();
    const auto entry = symbols_.find(t.text);
    if (!entry) fail_undefined(t.text, ".param variable", t.at);
    const Variable* v = entry->kind == NameEntry::Kind::Symbol ? module_.variable_of(entry->index) : nullptr;
    // A kernel's parameters lie elsewhere than those of calls.
    const bool of_kernel =
        v != nullptr && function().entry && module_.symbols[entry->index].kind == Symbol::Kind::Formal;
    if (v == nullptr || v->space != Space::Param || of_kernel)
      source_.fail(t.at,
                   fmt::format("expected a .param variable as argument of a call, found '{}'{}", t.text,
                               of_kernel ? ", a parameter of the kernel" : ""),
                   "store the value in a .param variable with st.param first");
    list.push_back(entry->index);
    spots.push_back(t.at);
  } while (lexer_.accept(','));
  lexer_.expect(')', "to close the list of arguments");
  return list;
}

// call{.uni} {(returns),} target {, (arguments)} {, prototype};
void Parser::parse_call(Instr& instr) {
  instr.op = Op::Call;
  instr.uniform = modifiers_.take(Mod::Uni);
  if (const Token* extra = modifiers_.unused())
    source_.fail(extra->at, fmt::format("{} does not belong to call", extra->text));
  CallSite site;
  std::vector<Spot> spots;
  if (lexer_.peek().is('(')) {
    site.returns = parse_call_list(spots);
    lexer_.expect(',', "after the returned values of a call");
  }
  const Token target = lexer_.expect_name("the function to call");
  if (lexer_.accept(',')) {
    bool more = true;
    if (lexer_.peek().is('(')) {
      site.arguments = parse_call_list(spots);
      more = lexer_.accept(',');
    }
    if (more) {
      const Token p = lexer_.expect_name("the prototype of an indirect call");
      const auto entry = symbols_.find(p.text);
      if (!entry || entry->kind != NameEntry::Kind::Prototype) fail_undefined(p.text, ".callprototype", p.at);
      site.prototype = entry->index;
    }
  }
  lexer_.expect(';', "after the call");
  const auto entry = symbols_.find(target.text);
  if (!entry) fail_undefined(target.text, "function", target.at);
  if (entry->kind == NameEntry::Kind::Register) {
    if (site.prototype == kNoTarget)
      source_.fail(target.at,
                   fmt::format("a call through {} needs a prototype as its last operand", target.text),
                   "declare one with 'name: .callprototype ...;'");
    if (bits(function().registers[entry->index].type) != 64)
      source_.fail(target.at,
                   fmt::format("expected a .b64 register with a function's address, found {} (.{})",
                               target.text, name(function().registers[entry->index].type)));
    site.pointer.kind = Operand::Kind::Reg;
    site.pointer.index = entry->index;
  } else {
    const bool callable = entry->kind == NameEntry::Kind::Symbol &&
                          module_.symbols[entry->index].kind == Symbol::Kind::Function;
    if (!callable) source_.fail(target.at, fmt::format("'{}' is not a function", target.text));
    site.callee = module_.symbols[entry->index].index;
  }
  check_call(module_.functions[site.callee != kNoTarget ? site.callee : site.prototype], site, spots,
             target.at);
  instr.call = static_cast<std::uint32_t>(function().calls.size());
  function().calls.push_back(std::move(site));
}

void Parser::check_call(const Function& callee, const CallSite& site, const std::vector<Spot>& spots,
                        Spot at) {
  if (callee.entry)
    source_.fail(at,
                 fmt::format("'{}' is a kernel: a kernel cannot be called from device code", callee.name));
  const auto check = [&](const std::vector<std::uint32_t>& given, const std::vector<Variable>& wanted,
                         std::string_view what, std::size_t first_spot) {
    if (given.size() != wanted.size())
      source_.fail(at, fmt::format("'{}' has {} {}(s), this call names {}", callee.name, wanted.size(), what,
                                   given.size()));
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::uint64_t have = module_.variable_of(given[i])->size;
      // `.param .b8 rest[]` takes anything.
      if (wanted[i].size == 0 || have == wanted[i].size) continue;
      source_.fail(spots[first_spot + i],
                   fmt::format("{} {} of '{}' has {} bytes, '{}' has {}", what, i + 1, callee.name,
                               wanted[i].size, module_.symbols[given[i]].name, have));
    }
  };
  check(site.returns, callee.returns, "returned value", 0);
  check(site.arguments, callee.params, "parameter", site.returns.size());
}

}  // namespace heddle::ptx
