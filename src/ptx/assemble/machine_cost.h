// What the vendor's assembler makes of an instruction, as far as it decides by it: how long a body is, what
// can move. Asked of ptxas 13.0 for sm_90 (tools/probes/ptxas_blocks.py, validation/data/ptxas_blocks.csv).
#pragma once

#include <cstdint>

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Division, reciprocal and square root that round to nearest, and division of 64 bits: code that tests the
// operands and calls a function for unusual ones. It ends a basic block, so that nothing moves across it.
bool becomes_call(const Instr& in);

// Across lanes: shuffles, votes and the like. They move as arithmetic does.
bool is_collective(Op op);

// Changes memory or may: stores and atomics.
bool writes_memory(const Instr& in);

// Machine instructions, as the assembler weighs a body; accesses of memory count one. Not for what becomes a
// call.
std::uint32_t machine_instructions(const Instr& in);

}  // namespace heddle::ptx
