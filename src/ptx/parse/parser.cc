#include "ptx/parse/parser.h"

#include <fmt/format.h>

#include <bit>

namespace heddle::ptx {

Parser::Parser(Module& module, const Source& source, const ParseLimits& limits,
               std::vector<Unsupported>* unsupported)
    : module_(module),
      source_(source),
      limits_(limits),
      unsupported_(unsupported),
      lexer_(source),
      symbols_(source, module, limits),
      operand_parser_(lexer_, limits.max_nesting),
      decoder_(source, symbols_, module) {}

void Parser::parse() {
  parse_header();
  while (lexer_.peek().kind != Tok::End) parse_directive();
  apply_aliases();
}

void Parser::parse_header() {
  if (!lexer_.peek().is_dot(".version"))
    lexer_.fail_here(
        fmt::format("expected .version at the start of a PTX module, found {}", describe(lexer_.peek())),
        "is this file PTX text?");
  parse_version();
  if (!lexer_.peek().is_dot(".target"))
    lexer_.fail_here(fmt::format("expected .target after .version, found {}", describe(lexer_.peek())));
  parse_target();
}

void Parser::parse_version() {
  lexer_.skip();
  const Token t = lexer_.take();
  const std::size_t dot = t.text.find('.');
  const auto number = [](std::string_view s, unsigned& out) {
    if (s.empty() || s.size() > 4) return false;
    out = 0;
    for (const char c : s) {
      if (c < '0' || c > '9') return false;
      out = out * 10 + static_cast<unsigned>(c - '0');
    }
    return true;
  };
  if (t.kind != Tok::F64 || dot == std::string_view::npos ||
      !number(t.text.substr(0, dot), module_.version_major) ||
      !number(t.text.substr(dot + 1), module_.version_minor))
    source_.fail(t.at, fmt::format("expected a version like 8.0 after .version, found {}", describe(t)));
}

void Parser::parse_target() {
  lexer_.skip();
  module_.target = std::string(lexer_.expect_name("a target like sm_75").text);
  while (lexer_.accept(',')) lexer_.expect_name("a target option");
}

void Parser::parse_directive() {
  const Token t = lexer_.peek();
  if (lexer_.accept(';')) return;
  if (t.kind != Tok::Dot)
    lexer_.fail_here(fmt::format("expected a directive such as .entry or .global, found {}", describe(t)));
  if (t.text == ".version") return parse_version();
  if (t.text == ".target") return parse_target();
  if (t.text == ".address_size") {
    lexer_.skip();
    const std::uint64_t bits = lexer_.expect_int("32 or 64 after .address_size");
    if (bits != 64)
      source_.fail(t.at, fmt::format("expected .address_size 64, found {}", bits),
                   "compile for 64-bit addresses: 32-bit device code ended with CUDA 9");
    return;
  }
  if (t.text == ".file") return skip_file();
  if (t.text == ".loc") return skip_location();
  if (t.text == ".section") return skip_section();
  if (t.text == ".pragma") return parse_pragma(nullptr);
  if (t.text == ".alias") return parse_alias();
  const Linkage linkage = parse_linkage();
  const Token what = lexer_.peek();
  if (what.kind == Tok::Dot) {
    if (what.text == ".entry") return parse_function(linkage, true);
    if (what.text == ".func") return parse_function(linkage, false);
    const Space space = what.text == ".tex" ? Space::Global : space_of(what.text);
    if (space == Space::Global || space == Space::Const || space == Space::Shared || space == Space::Local) {
      lexer_.skip();
      return parse_variables(space, linkage);
    }
  }
  lexer_.fail_here(
      fmt::format("expected .entry, .func, .global, .const or .shared here, found {}", describe(what)));
}

Parser::Linkage Parser::parse_linkage() {
  Linkage linkage;
  for (;;) {
    if (lexer_.accept_dot(".extern")) {
      linkage.external = true;
    } else if (lexer_.accept_dot(".weak") || lexer_.accept_dot(".common")) {
      linkage.weak = true;
    } else if (!lexer_.accept_dot(".visible")) {
      return linkage;
    }
  }
}

void Parser::skip_file() {
  lexer_.skip();
  lexer_.expect_int("a file number after .file");
  if (lexer_.peek().kind != Tok::String) lexer_.fail_here("expected a file name in quotes");
  lexer_.skip();
  while (lexer_.accept(',')) lexer_.expect_int("a time stamp or a size");
}

// .loc FILE LINE COLUMN [, function_name LABEL[+N], inlined_at FILE LINE COLUMN]; there is no ';'.
void Parser::skip_location() {
  lexer_.skip();
  for (int i = 0; i < 3; ++i) lexer_.expect_int("a number in .loc");
  while (lexer_.accept(',')) {
    const Token t = lexer_.expect_name("function_name or inlined_at");
    if (t.text == "function_name") {
      lexer_.expect_name("a label");
      if (lexer_.accept('+')) lexer_.expect_int("an offset");
    } else {
      for (int i = 0; i < 3; ++i) lexer_.expect_int("a number in .loc");
    }
  }
}

void Parser::skip_section() {
  lexer_.skip();
  lexer_.skip();  // its name, a Dot or a Name
  skip_braces("the section");
}

void Parser::parse_pragma(Function* function) {
  lexer_.skip();
  do {
    if (lexer_.peek().kind != Tok::String)
      lexer_.fail_here(fmt::format("expected a string after .pragma, found {}", describe(lexer_.peek())));
    const Token t = lexer_.take();
    if (function != nullptr && t.text.find("nounroll") != std::string_view::npos)
      function->no_unroll.push_back(static_cast<std::uint32_t>(function->instrs.size()));
  } while (lexer_.accept(','));
  lexer_.expect(';', "after .pragma");
}

// .attribute(.managed), .attribute(.unified(1, 2))
void Parser::skip_attribute() {
  lexer_.skip();
  lexer_.expect('(', "after .attribute");
  do {
    if (lexer_.peek().kind != Tok::Dot)
      lexer_.fail_here(
          fmt::format("expected an attribute such as .managed, found {}", describe(lexer_.peek())));
    lexer_.skip();
    if (lexer_.accept('(')) {
      do lexer_.expect_int("an integer");
      while (lexer_.accept(','));
      lexer_.expect(')', "to close the attribute's arguments");
    }
  } while (lexer_.accept(','));
  lexer_.expect(')', "to close .attribute");
}

void Parser::parse_alias() {
  lexer_.skip();
  const auto function_named = [&](std::string_view what) {
    const Token t = lexer_.expect_name(what);
    const NameEntry* e = symbols_.find_global(t.text);
    if (e == nullptr) fail_undefined(t.text, "function", t.at);
    const Symbol& s = module_.symbols[e->index];
    if (s.kind != Symbol::Kind::Function) source_.fail(t.at, fmt::format("'{}' is not a function", t.text));
    return s.index;
  };
  Alias a;
  a.alias = function_named("the alias after .alias");
  lexer_.expect(',', "between the two names of .alias");
  a.target = function_named("a function's name");
  lexer_.expect(';', "after .alias");
  aliases_.push_back(a);
}

// Calls and addresses of an alias become those of its target; only then is the target sure to be known.
void Parser::apply_aliases() {
  if (aliases_.empty()) return;
  std::vector<std::uint32_t> target(module_.functions.size());
  for (std::uint32_t i = 0; i < target.size(); ++i) target[i] = i;
  for (const Alias& a : aliases_) target[a.alias] = a.target;
  for (Symbol& s : module_.symbols)
    if (s.kind == Symbol::Kind::Function) s.index = target[s.index];
  for (Function& f : module_.functions)
    for (CallSite& c : f.calls)
      if (c.callee != kNoTarget) c.callee = target[c.callee];
}

void Parser::parse_function(const Linkage& linkage, bool entry) {
  Function f;
  lexer_.skip();
  while (lexer_.peek().is_dot(".attribute")) skip_attribute();
  if (!entry && lexer_.peek().is('(')) f.returns = parse_formals();
  const Token name = lexer_.expect_name(entry ? "the name of the kernel" : "the name of the function");
  f.name = std::string(name.text);
  f.entry = entry;
  f.line = name.at.line;
  if (lexer_.peek().is('(')) f.params = parse_formals();
  lay_out_params(f);
  parse_performance_directives(f);
  const bool has_body = lexer_.peek().is('{');
  if (!has_body) lexer_.expect(';', "or a body '{' after the function's heading");
  if (has_body && linkage.external)
    lexer_.fail_here(fmt::format("'{}' is .extern, so it cannot have a body", name.text));
  const NameEntry* known = symbols_.find_global(name.text);
  const std::uint32_t index = declare_function(std::move(f), name.at, has_body);
  if (known == nullptr) symbols_.add_symbol(name.text, Symbol{Symbol::Kind::Function, 0, index, {}}, name.at);
  if (has_body) parse_body(index, name.at);
}

std::uint32_t Parser::declare_function(Function heading, Spot at, bool has_body) {
  heading.external = !has_body;
  const NameEntry* known = symbols_.find_global(heading.name);
  if (known == nullptr) {
    module_.functions.push_back(std::move(heading));
    return static_cast<std::uint32_t>(module_.functions.size() - 1);
  }
  const Symbol& symbol = module_.symbols[known->index];
  if (symbol.kind != Symbol::Kind::Function)
    source_.fail(
        at, fmt::format("'{}' is already declared as a variable, on line {}", heading.name, known->at.line));
  Function& first = module_.functions[symbol.index];
  if (has_body && !first.external)
    source_.fail(at, fmt::format("'{}' is already defined, on line {}", heading.name, first.line));
  const auto same = [](const std::vector<Variable>& a, const std::vector<Variable>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i].size != b[i].size) return false;
    return true;
  };
  if (first.entry != heading.entry || !same(first.params, heading.params) ||
      !same(first.returns, heading.returns))
    source_.fail(at, fmt::format("'{}' has other parameters here than on line {}", heading.name, first.line));
  if (has_body) first = std::move(heading);
  return symbol.index;
}

std::vector<Variable> Parser::parse_formals() {
  std::vector<Variable> formals;
  lexer_.skip();
  if (lexer_.accept(')')) return formals;
  do formals.push_back(parse_formal());
  while (lexer_.accept(','));
  lexer_.expect(')', "to close the list of parameters");
  return formals;
}

// .param .u64 .ptr .global .align 4 name, .param .align 8 .b8 name[64], .param .b32 _
Variable Parser::parse_formal() {
  Variable v;
  v.space = Space::Param;
  v.line = lexer_.peek().at.line;
  if (lexer_.peek().is_dot(".reg"))
    lexer_.fail_here("parameters in registers are not supported", "declare the parameter as .param");
  if (!lexer_.accept_dot(".param"))
    lexer_.fail_here(fmt::format("expected .param, found {}", describe(lexer_.peek())));
  Shape shape;
  parse_variable_head(v, shape);
  if (lexer_.accept_dot(".ptr")) {
    while (lexer_.peek().kind == Tok::Dot) {
      if (lexer_.accept_dot(".align")) {
        lexer_.expect_int("an alignment");
      } else if (space_of(lexer_.peek().text) != Space::None) {
        lexer_.skip();
      } else {
        lexer_.fail_here(
            fmt::format("expected a state space or .align after .ptr, found {}", describe(lexer_.peek())));
      }
    }
  }
  const Token name = lexer_.expect_name("the name of a parameter");
  v.name = std::string(name.text);
  parse_dimensions(shape);
  v.size = shape.element_bytes;
  for (const std::uint64_t d : shape.dimensions)
    if (__builtin_mul_overflow(v.size, d, &v.size)) source_.fail(name.at, "this parameter is too large");
  count_bytes(v.size, name.at);
  return v;
}

void Parser::lay_out_params(Function& f) {
  std::uint64_t end = 0;
  for (Variable& v : f.params) {
    v.offset = (end + v.align - 1) & ~static_cast<std::uint64_t>(v.align - 1);
    end = v.offset + v.size;
  }
  if (end > (1u << 30))
    source_.fail({f.line, 0}, fmt::format("the parameters of '{}' take {} bytes", f.name, end));
  f.param_bytes = static_cast<std::uint32_t>(end);
  end = 0;
  for (Variable& v : f.returns) {
    v.offset = (end + v.align - 1) & ~static_cast<std::uint64_t>(v.align - 1);
    end = v.offset + v.size;
  }
}

std::uint32_t Parser::parse_thread_count(std::string_view directive) {
  const Spot at = lexer_.peek().at;
  std::uint64_t product = 1;
  int n = 0;
  do {
    const std::uint64_t v = lexer_.expect_int(fmt::format("a number after {}", directive));
    if (v == 0 || __builtin_mul_overflow(product, v, &product) || product > 0x7fffffff || ++n > 3)
      source_.fail(at, fmt::format("expected one to three positive numbers after {}", directive));
  } while (lexer_.accept(','));
  return static_cast<std::uint32_t>(product);
}

void Parser::parse_performance_directives(Function& f) {
  while (lexer_.peek().kind == Tok::Dot) {
    const Token t = lexer_.take();
    if (t.text == ".maxntid") {
      f.max_threads = parse_thread_count(t.text);
    } else if (t.text == ".reqntid") {
      f.required_threads = parse_thread_count(t.text);
    } else if (t.text == ".minnctapersm" || t.text == ".maxnctapersm") {
      const std::uint32_t n = parse_thread_count(t.text);
      if (t.text == ".minnctapersm") f.min_ctas = n;
    } else if (t.text == ".maxnreg") {
      f.max_registers = parse_thread_count(t.text);
    } else if (t.text == ".reqnctapercluster" || t.text == ".maxclusterrank" || t.text == ".abi_preserve" ||
               t.text == ".abi_preserve_control") {
      parse_thread_count(t.text);
    } else if (t.text == ".pragma") {
      do {
        if (lexer_.peek().kind != Tok::String) lexer_.fail_here("expected a string after .pragma");
        lexer_.skip();
      } while (lexer_.accept(','));
      lexer_.expect(';', "after .pragma");
    } else if (t.text != ".noreturn" && t.text != ".explicitcluster" && t.text != ".blocksareclusters" &&
               t.text != ".unique") {
      source_.fail(t.at, fmt::format("{} is not a directive of a function's heading", t.text));
    }
  }
}

Module parse_module(std::string text, std::string file, const ParseLimits& limits,
                    std::vector<Unsupported>* unsupported) {
  Module module;
  module.text = std::move(text);
  module.file = std::move(file);
  const Source source{module.text, module.file};
  if (module.text.size() > limits.max_text_bytes || module.text.size() >= kNoTarget)
    throw Error(SourcePlace{module.file, 0, 0, {}},
                fmt::format("this PTX text has {} bytes, more than the {} that are accepted",
                            module.text.size(), limits.max_text_bytes));
  Parser(module, source, limits, unsupported).parse();
  return module;
}

}  // namespace heddle::ptx
