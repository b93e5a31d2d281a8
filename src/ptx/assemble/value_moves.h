// Machine instructions that only bring values where others have them, as ptxas 13.0 leaves them (machine code
// in validation/training/sass*.tar.gz): a register's first value and its copies, constants of 64 bits, which
// no instruction holds whole, and the pair of registers that an access takes its address from, beside the
// halves of a pointer that a loop moves.
#pragma once

#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

// Sets Instr::moves.
void find_value_moves(Function& function, const ControlFlow& flow);

}  // namespace heddle::ptx
