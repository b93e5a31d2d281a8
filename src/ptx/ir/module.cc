#include "ptx/ir/module.h"

#include <fmt/format.h>

#include "ptx/ir/source.h"

namespace heddle::ptx {

std::string parameter_type(const Variable& p) {
  const std::uint64_t one = bytes(p.type);
  if (p.size == one) return fmt::format(".{}", name(p.type));
  return fmt::format(".{}[{}]", name(p.type), one == 0 ? p.size : p.size / one);
}

const Function* Module::find_function(std::string_view wanted) const {
  for (const Function& f : functions)
    if (!f.prototype && f.name == wanted) return &f;
  return nullptr;
}

const Variable* Module::variable_of(std::uint32_t symbol) const {
  const Symbol& s = symbols[symbol];
  switch (s.kind) {
    case Symbol::Kind::Variable:
      return &variables[s.index];
    case Symbol::Kind::FunctionVariable:
      return &functions[s.function].variables[s.index];
    case Symbol::Kind::Formal:
      return &functions[s.function].params[s.index];
    case Symbol::Kind::ReturnFormal:
      return &functions[s.function].returns[s.index];
    case Symbol::Kind::Function:
      break;
  }
  return nullptr;
}

SourcePlace Module::place(std::uint32_t line, std::uint32_t column) const {
  return {file, line, column, shown_line(text, line, column)};
}

}  // namespace heddle::ptx
