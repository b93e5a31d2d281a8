// Which machine instructions the assembler makes of a function, as far as that depends on more than one
// instruction: which are part of others (fold_operations.h), which divisions have a new divisor each time,
// which branches have instructions that bring their lanes together, which constants all lanes read at one
// address. Volta and later.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

void find_machine_code(const Module& module, Function& function);

}  // namespace heddle::ptx
