// Arrays of local memory that the assembler keeps in registers. Where places are known, registers do; where
// an index is computed, every element is compared with it and copied under a guard. Worth it for small arrays
// and few such accesses; how many was asked of ptxas (tools/probes/local_arrays.py).
#pragma once

#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

// Sets Instr::elements of accesses to such arrays, and the registers that they take of the function.
void find_local_arrays(const Module& module, Function& function, const ControlFlow& flow);

}  // namespace heddle::ptx
