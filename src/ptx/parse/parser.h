// Directives, declarations and functions of a PTX module. Instructions are decoded by decode.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/decode/decode.h"
#include "ptx/ir/module.h"
#include "ptx/parse/parse_module.h"
#include "ptx/text/lexer.h"
#include "ptx/text/modifiers.h"
#include "ptx/text/operand.h"
#include "ptx/text/symbol_table.h"

namespace heddle::ptx {

class Parser {
 public:
  Parser(Module& module, const Source& source, const ParseLimits& limits,
         std::vector<Unsupported>* unsupported);
  void parse();

 private:
  // parser.cc: module level and function headings
  struct Linkage {
    bool external = false;
    bool weak = false;  // .weak, .common: a later definition may repeat it
  };
  void parse_header();
  void parse_version();
  void parse_target();
  void parse_directive();
  Linkage parse_linkage();
  void skip_file();
  void skip_location();
  void skip_section();
  void skip_attribute();
  void parse_alias();
  void apply_aliases();
  void parse_pragma(Function* function);  // of a body, or nullptr
  void parse_function(const Linkage& linkage, bool entry);
  std::vector<Variable> parse_formals();
  Variable parse_formal();
  void parse_performance_directives(Function& function);
  std::uint32_t parse_thread_count(std::string_view directive);
  std::uint32_t declare_function(Function heading, Spot at, bool has_body);
  void lay_out_params(Function& function);

  // parser_variable.cc: variables and initialisers
  struct Shape {
    std::vector<std::uint64_t> dimensions;  // outermost first; a 0 stands for []
    std::uint32_t element_bytes = 0;        // of one vector
    std::uint32_t vector = 1;
  };
  void parse_variables(Space space, const Linkage& linkage);
  void parse_variable_head(Variable& head, Shape& shape);
  void parse_dimensions(Shape& shape);
  void finish_variable(Variable variable, const Shape& shape, const Linkage& linkage, Token name);
  void declare_variable(Variable variable, const Linkage& linkage, const Token& name);
  void count_bytes(std::uint64_t size, Spot at);
  void parse_initialiser(Variable& variable, Shape& shape);
  void parse_initialiser_level(Variable& variable, const Shape& shape, std::size_t level,
                               std::uint64_t offset, std::uint64_t size);
  void parse_initialiser_value(Variable& variable, std::uint64_t offset);
  void parse_address_value(Variable& variable, std::uint64_t offset, std::uint64_t mask);
  void store_value(Variable& variable, std::uint64_t offset, std::uint64_t value, Spot at);
  void skip_braces(std::string_view what);

  // parser_body.cc: statements
  void parse_body(std::uint32_t index, Spot at);
  void parse_statement();
  void parse_body_directive();
  void parse_labelled(const Token& label);
  void parse_registers();
  void parse_branch_targets(const Token& label);
  void parse_call_targets(const Token& label);
  void parse_call_prototype(const Token& label);
  Operand parse_guard();
  void parse_instruction(const Token& root, const Operand& guard);
  void finish_body(Spot at);

  // parser_call.cc
  void parse_call(Instr& instr);
  std::vector<std::uint32_t> parse_call_list(std::vector<Spot>& spots);
  void check_call(const Function& callee, const CallSite& site, const std::vector<Spot>& spots, Spot at);
  [[noreturn]] void fail_undefined(std::string_view name, std::string_view kind, Spot at);

  Function& function() { return module_.functions[current_]; }

  Module& module_;
  const Source& source_;
  const ParseLimits& limits_;
  std::vector<Unsupported>* unsupported_;
  Lexer lexer_;
  SymbolTable symbols_;
  OperandParser operand_parser_;
  Decoder decoder_;
  RawOperands operands_;
  Modifiers modifiers_;
  std::vector<Instr> instr_buffer_;
  std::uint32_t current_ = 0;  // the function whose body is being read
  std::uint64_t variable_bytes_ = 0;
  std::uint64_t initialiser_bytes_ = 0;
  std::uint64_t instructions_ = 0;
  struct Alias {
    std::uint32_t alias = 0, target = 0;
  };
  std::vector<Alias> aliases_;
};

}  // namespace heddle::ptx
