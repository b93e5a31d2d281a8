#include "ptx/module.h"

#include "ptx/lexer.h"

namespace heddle::ptx {

const Function* Module::find_function(std::string_view wanted) const {
  for (const Function& f : functions)
    if (!f.prototype && f.name == wanted) return &f;
  return nullptr;
}

SourcePlace Module::place(std::uint32_t line, std::uint32_t column) const {
  return {file, line, column, line_of(text, line, column)};
}

}  // namespace heddle::ptx
