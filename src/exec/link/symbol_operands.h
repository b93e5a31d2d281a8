// Operands of an instruction that name a variable or a function.
#pragma once

#include "ptx/ir/instr.h"

namespace heddle::exec {

// f(index in Module::symbols)
template <class F>
void for_each_symbol(const ptx::Instr& in, F&& f) {
  auto visit = [&](const ptx::Operand& o) {
    if (o.kind == ptx::Operand::Kind::Symbol) f(o.index);
  };
  visit(in.address);
  for (unsigned i = 0; i < in.n_src; ++i) visit(in.src[i]);
}

}  // namespace heddle::exec
