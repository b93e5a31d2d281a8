// The static side of a kernel as the timing machine reads it: what each instruction asks for, which registers
// it reads and writes.
#pragma once

#include "ptx/ir/instr.h"
#include "ptx/ir/matrix.h"
#include "workload/warp_stream.h"

namespace heddle::exec {

struct KernelImage;

// Arithmetic, conversions, moves, collectives, control. Memory accesses depend on the place as well:
// decode_statics() knows them.
workload::InstrClass instruction_class(const ptx::Instr& instr);
// Passes through the unit.
std::uint8_t instruction_repeat(const ptx::Instr& instr);
std::uint8_t matrix_passes(const ptx::MatrixInstr& matrix);

// Fills statics, access_templates and static_registers of a linked image. Registers of a function are
// numbered from 0: 32-bit slots, 64-bit slots, predicates, and the condition code where there is one.
void decode_statics(KernelImage& image);

}  // namespace heddle::exec
