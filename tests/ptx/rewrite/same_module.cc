#include "rewrite/same_module.h"

#include <fmt/format.h>

namespace heddle::ptx {
namespace {

Function without_places(Function f) {
  f.line = 0;
  for (Instr& i : f.instrs) i.line = i.column = 0;
  for (auto* list : {&f.params, &f.returns, &f.variables})
    for (Variable& v : *list) v.line = 0;
  return f;
}

template <class T>
std::string first_of(const std::vector<T>& a, const std::vector<T>& b, const std::string& what) {
  if (a.size() != b.size()) return fmt::format("{}: {} and {}", what, a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) return fmt::format("{} {}", what, i);
  return {};
}

std::string functions_differ(const Function& with_a, const Function& with_b) {
  const Function a = without_places(with_a), b = without_places(with_b);
  if (a.instrs.size() == b.instrs.size())
    for (std::size_t i = 0; i < a.instrs.size(); ++i)
      if (!(a.instrs[i] == b.instrs[i]))
        return fmt::format("instruction {} of '{}', line {} and line {}", i, a.name, with_a.instrs[i].line,
                           with_b.instrs[i].line);
  // The comparison of whole functions is the compiler's: no field is forgotten.
  return a == b ? "" : fmt::format("function '{}'", a.name);
}

}  // namespace

std::string difference(const Module& a, const Module& b) {
  if (a.version_major != b.version_major || a.version_minor != b.version_minor || a.target != b.target ||
      a.address_size != b.address_size)
    return "version, target or address size";
  std::vector<Variable> va = a.variables, vb = b.variables;
  for (auto* list : {&va, &vb})
    for (Variable& v : *list) v.line = 0;
  if (std::string d = first_of(va, vb, "variable"); !d.empty()) return d;
  if (std::string d = first_of(a.symbols, b.symbols, "symbol"); !d.empty()) return d;
  if (a.functions.size() != b.functions.size())
    return fmt::format("functions: {} and {}", a.functions.size(), b.functions.size());
  for (std::size_t i = 0; i < a.functions.size(); ++i)
    if (std::string d = functions_differ(a.functions[i], b.functions[i]); !d.empty()) return d;
  return {};
}

}  // namespace heddle::ptx
