// Which constants the assembler reads through uniform registers (ULDC), once for all lanes: not all whose
// address is the same, but those whose address it keeps in uniform registers, and whose value fits there.
// Asked of ptxas 13.0 for sm_90 (tools/probes/ptxas_constants.py, validation/data/ptxas_constants.csv).
#pragma once

#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

// Sets Instr::one_address.
void find_uniform_constants(const Module& module, Function& function, const ControlFlow& flow);

}  // namespace heddle::ptx
