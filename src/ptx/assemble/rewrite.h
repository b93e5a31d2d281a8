// What every pass over a function's instructions needs.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir/module.h"

namespace heddle::ptx {

inline bool is_register(const Operand& o) {
  return o.kind == Operand::Kind::Reg;
}

// Takes out the instructions that are marked; branches to one of them lead to what follows it.
void drop_instructions(Function& function, const std::vector<std::uint8_t>& gone);

}  // namespace heddle::ptx
