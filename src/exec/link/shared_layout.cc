#include "exec/link/shared_layout.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/align.h"
#include "base/error.h"
#include "exec/image/kernel_image.h"
#include "exec/link/symbol_operands.h"

namespace heddle::exec {
namespace {

using ptx::Function;
using ptx::Instr;
using ptx::Space;
using ptx::Symbol;
using ptx::Variable;

bool asks_for_reserved_shared(const ptx::Module& module, const CallGraph& graph) {
  for (const std::uint32_t f : graph.functions)
    for (const Instr& in : module.functions[f].instrs)
      for (unsigned i = 0; i < in.n_src; ++i) {
        const auto reg = static_cast<ptx::Sreg>(in.src[i].index);
        if (in.src[i].kind == ptx::Operand::Kind::Sreg && reg >= ptx::Sreg::ReservedSmemBegin &&
            reg <= ptx::Sreg::ReservedSmem1)
          return true;
      }
  return false;
}

}  // namespace

SharedLayout::SharedLayout(const ptx::Module& module, const CallGraph& graph) {
  std::uint64_t at = asks_for_reserved_shared(module, graph) ? kReservedShared : 0;
  std::vector<std::uint32_t> dynamic;
  auto put = [&](const Variable& v) {
    at = align_up(at, v.align);
    const auto offset = static_cast<std::uint32_t>(at);
    at += v.size;
    return offset;
  };
  for (const std::uint32_t function : graph.functions) {
    const Function& f = module.functions[function];
    for (std::uint32_t i = 0; i < f.variables.size(); ++i)
      if (f.variables[i].space == Space::Shared) of_function[{function, i}] = put(f.variables[i]);
    for (const Instr& in : f.instrs)
      for_each_symbol(in, [&](std::uint32_t s) {
        const Symbol& symbol = module.symbols[s];
        if (symbol.kind != Symbol::Kind::Variable || of_module.contains(symbol.index)) return;
        const Variable& v = module.variables[symbol.index];
        if (v.space != Space::Shared) return;
        if (v.external && v.size == 0)
          dynamic.push_back(symbol.index);
        else
          of_module[symbol.index] = put(v);
      });
  }
  for (std::uint32_t v : dynamic) at = align_up(at, std::max(16u, module.variables[v].align));
  for (std::uint32_t v : dynamic) of_module[v] = static_cast<std::uint32_t>(at);
  if (at > (1u << 30)) {
    const Function& kernel = module.functions[graph.functions[0]];
    throw Error(module.place(kernel.line),
                fmt::format("kernel '{}' declares {} bytes of shared memory", kernel.name, at));
  }
  bytes = static_cast<std::uint32_t>(at);
}

}  // namespace heddle::exec
