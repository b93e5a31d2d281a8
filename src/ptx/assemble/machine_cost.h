// What the vendor's assembler makes of an instruction, as far as it decides by it: how long a body is, what
// can move. Asked of ptxas 13.0 for sm_90 (tools/probes/ptxas_blocks.py, validation/data/ptxas_blocks.csv).
#pragma once

#include <cstddef>
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

// What takes more than a cycle from one of its kind to the next, of one warp: the assembler leaves that many
// between them (tools/probes/code_distances.py, validation/data/code_distances.csv).
enum class Unit : std::uint8_t { None, Logic, WideProduct, Memory, Special, Constants };
inline constexpr std::size_t kUnits = 6;

Unit unit_of(const Instr& in);
std::uint32_t cycles(Unit unit);

}  // namespace heddle::ptx
