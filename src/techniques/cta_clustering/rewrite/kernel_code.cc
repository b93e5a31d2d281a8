#include "techniques/cta_clustering/rewrite/kernel_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/print.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using ptx::kNoTarget;
using tree::Refusal;

tree::Statement* definition(tree::Module& module, std::string_view name) {
  for (tree::Statement& s : module.statements)
    if (const auto* f = s.as<tree::Function>(); f != nullptr && f->body && f->name.is(name)) return &s;
  return nullptr;
}

void find_addresses(const ptx::Module& m, std::set<std::string>& taken) {
  const auto add = [&](std::uint32_t symbol) {
    if (m.symbols[symbol].kind == ptx::Symbol::Kind::Function)
      taken.insert(m.functions[m.symbols[symbol].index].name);
  };
  for (const ptx::Variable& v : m.variables)
    for (const ptx::Relocation& r : v.relocations) add(r.symbol);
  for (const ptx::Function& f : m.functions)
    for (const ptx::Instr& i : f.instrs)
      for (const ptx::Operand& o : i.src)
        if (o.kind == ptx::Operand::Kind::Symbol) add(o.index);
}

// The functions that `f` may call, by number.
std::vector<std::uint32_t> callees(const KernelCode& code, const ptx::Function& f, bool& pointers) {
  std::vector<std::uint32_t> found;
  for (const ptx::CallSite& c : f.calls) {
    if (c.callee != kNoTarget) {
      found.push_back(c.callee);
      continue;
    }
    pointers = true;
    for (std::uint32_t i = 0; i < code.decoded.functions.size(); ++i) {
      const ptx::Function& g = code.decoded.functions[i];
      if (!g.entry && !g.prototype && code.address_taken.contains(g.name)) found.push_back(i);
    }
  }
  return found;
}

void add_reached(tree::Module& module, KernelCode& code) {
  std::set<std::string> seen{code.kernel().name()};
  for (std::size_t i = 0; i < code.functions.size(); ++i) {
    for (const std::uint32_t n : callees(code, *code.functions[i].decoded, code.calls_pointers)) {
      const ptx::Function& f = code.decoded.functions[n];
      if (!seen.insert(f.name).second) continue;
      if (f.external)
        code.externals.push_back(f.name);
      else
        code.functions.push_back({definition(module, f.name), &f, {}});
    }
  }
}

}  // namespace

const FunctionCode* KernelCode::find(std::string_view name) const {
  const auto it =
      std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name() == name; });
  return it == functions.end() ? nullptr : &*it;
}

bool names_special(const tree::Statement& s, std::string_view special) {
  const auto* i = s.as<tree::Instruction>();
  if (i == nullptr) return false;
  for (const tree::Pieces& operand : i->operands)
    for (const tree::Piece& p : operand)
      if (p.is(special)) return true;
  return false;
}

std::optional<Refusal> read_kernel(tree::Module& module, const std::string& kernel, KernelCode& code) {
  std::vector<ptx::Unsupported> unsupported;
  try {
    code.decoded = ptx::parse_module(tree::print(module), module.file, {}, &unsupported);
  } catch (const Error& e) {
    // Its line is one of the printed text, which nobody has seen.
    Refusal no = tree::refuse("not understood", e.message(), kernel, nullptr);
    no.instruction = e.place().text;
    return no;
  }
  const ptx::Function* f = code.decoded.find_function(kernel);
  if (f == nullptr || !f->entry || f->external)
    return tree::refuse("no kernel", "the module has no kernel of this name", kernel, nullptr);
  find_addresses(code.decoded, code.address_taken);
  code.functions.push_back({definition(module, kernel), f, {}});
  add_reached(module, code);
  for (FunctionCode& g : code.functions) {
    g.instructions = tree::instructions(*g.tree().body);
    for (const ptx::Unsupported& u : unsupported) {
      if (u.function != g.name()) continue;
      const auto at =
          std::find_if(g.decoded->instrs.begin(), g.decoded->instrs.end(),
                       [&](const ptx::Instr& i) { return i.line == u.line && i.column == u.column; });
      return tree::refuse("not understood", fmt::format("nothing is known of this instruction: {}", u.reason),
                          g.name(),
                          g.instructions.at(static_cast<std::size_t>(at - g.decoded->instrs.begin())));
    }
  }
  return {};
}

}  // namespace heddle::cta_clustering
