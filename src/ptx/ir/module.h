// A PTX module, parsed and decoded: what is declared, and for every function its instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ptx/ir/instr.h"
#include "ptx/ir/matrix.h"

namespace heddle::ptx {

// A value inside an initialiser that is only known when addresses are.
struct Relocation {
  std::uint64_t offset = 0;  // bytes into the variable
  std::uint8_t size = 8;
  std::uint32_t symbol = 0;  // Module::symbols index
  std::int64_t addend = 0;
  bool generic = false;    // generic(symbol)
  std::uint8_t shift = 0;  // 0xFF00(symbol): bits by which the address is shifted right before storing
  friend bool operator==(const Relocation&, const Relocation&) = default;
};

struct Variable {
  std::string name;
  Space space = Space::None;  // Global, Const, Shared, Local or Param
  Type type = Type::None;     // element type
  std::uint32_t align = 1;
  std::uint64_t size = 0;  // bytes; 0 for `extern .shared x[]`
  bool external = false;
  bool texture = false;         // .texref
  std::vector<std::byte> init;  // empty: zeros
  std::vector<Relocation> relocations;
  std::uint64_t offset = 0;  // Param (formal): offset in the parameter block; others: set by layout
  std::uint32_t line = 0;
  friend bool operator==(const Variable&, const Variable&) = default;
};

// ".u64", ".b8[24]"
std::string parameter_type(const Variable& parameter);

struct Register {
  std::string name;  // with the '%'
  Type type = Type::None;
  friend bool operator==(const Register&, const Register&) = default;
};

// What a name may denote after parsing. Registers and labels are resolved by the parser.
struct Symbol {
  enum class Kind : std::uint8_t {
    Variable,          // index: Module::variables
    FunctionVariable,  // index: Function::variables of `function` (.local, .shared, .param in a body)
    Formal,            // index: Function::params of `function`
    ReturnFormal,      // index: Function::returns of `function`
    Function,          // index: Module::functions
  };
  Kind kind = Kind::Variable;
  std::uint32_t function = 0;
  std::uint32_t index = 0;
  std::string name;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// A call site. Arguments are .param variables or formals (symbols), copied byte by byte.
struct CallSite {
  std::uint32_t callee = ~0u;          // Module::functions index; ~0u: indirect
  Operand pointer;                     // indirect: the register with the function's address
  std::uint32_t prototype = ~0u;       // indirect: Module::functions index of the .callprototype
  std::vector<std::uint32_t> returns;  // Module::symbols indices
  std::vector<std::uint32_t> arguments;
  friend bool operator==(const CallSite&, const CallSite&) = default;
};

struct Function {
  std::string name;
  bool entry = false;
  bool external = false;   // declared, no body in this module
  bool prototype = false;  // a .callprototype
  std::vector<Variable> params;
  std::vector<Variable> returns;
  std::vector<Variable> variables;
  std::vector<Register> registers;
  std::vector<Instr> instrs;
  std::vector<CallSite> calls;
  std::vector<MatrixInstr> matrices;
  std::vector<std::vector<std::uint32_t>> branch_tables;  // instruction indices
  std::vector<std::uint32_t> no_unroll;                   // .pragma "nounroll": the instruction that follows
  std::optional<std::uint32_t> max_registers;             // .maxnreg
  std::optional<std::uint32_t> max_threads;               // .maxntid, product
  std::optional<std::uint32_t> required_threads;          // .reqntid, product
  std::optional<std::uint32_t> min_ctas;                  // .minnctapersm
  std::optional<std::uint32_t>
      assembled_registers;            // per thread, found before instructions moved (schedule.h)
  std::uint32_t array_registers = 0;  // for arrays of local memory (assemble/local_arrays.h)
  bool machine_code = false;      // instructions are what a machine makes of them (assemble/machine_code.h)
  bool meets_in_loops = false;    // lanes that others leave by a break meet all the same (loop_meetings.h)
  std::uint32_t param_bytes = 0;  // size of the formal parameter block
  std::uint32_t line = 0;
  friend bool operator==(const Function&, const Function&) = default;
};

struct Module {
  std::string file;
  std::string text;  // the source; a final newline is not required
  unsigned version_major = 0, version_minor = 0;
  std::string target;  // "sm_75"
  unsigned address_size = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;  // entries, device functions, declarations, prototypes
  std::vector<Symbol> symbols;

  const Function* find_function(std::string_view name) const;
  const Variable* variable_of(std::uint32_t symbol) const;  // nullptr: a function
  SourcePlace place(std::uint32_t line, std::uint32_t column = 0) const;
};

}  // namespace heddle::ptx
