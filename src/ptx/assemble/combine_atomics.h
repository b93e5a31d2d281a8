// Atomics of a warp as one: where all lanes have the same address, the assembler lets them agree on one
// operand first (VOTE and POPC, or REDUX), and one lane sends it.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Marks them (Instr::combined): what is executed stays the same. Integers of 32 bits (add, min, max, and, or,
// xor) and constants that are added to 64 bits; never floating-point numbers, exchanges and the others.
void combine_atomics(const Module& module, Function& function);

}  // namespace heddle::ptx
