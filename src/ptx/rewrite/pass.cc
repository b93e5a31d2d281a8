#include "ptx/rewrite/pass.h"

#include <utility>

#include <fmt/format.h>

#include "ptx/rewrite/print.h"

namespace heddle::ptx::tree {

Refusal refuse(std::string rule, std::string reason, const std::string& function, const Statement* where) {
  Refusal r{std::move(rule), std::move(reason), function, {}, {}};
  if (where == nullptr) return r;
  r.at = where->at;
  if (where->as<Instruction>() != nullptr) r.instruction = print(*where);
  return r;
}

std::optional<Refusal> run_passes(Module& module, std::span<const Pass> passes) {
  std::vector<Statement> before = module.statements;
  for (const Pass& pass : passes) {
    std::optional<Refusal> refusal = pass.apply(module);
    if (!refusal) continue;
    refusal->pass = pass.name;
    module.statements = std::move(before);
    return refusal;
  }
  return {};
}

Error error_of(const Refusal& r, const Module& module) {
  const std::string what = r.function.empty() ? "this module" : fmt::format("'{}'", r.function);
  const std::string of = r.instruction.empty() ? "" : fmt::format(" (here '{}')", r.instruction);
  return Error(
      SourcePlace{module.file, r.at.line, r.at.column, shown_line(module.text, r.at.line, r.at.column)},
      fmt::format("pass '{}' does not rewrite {}: {}{}", r.pass, what, r.reason, of));
}

}  // namespace heddle::ptx::tree
