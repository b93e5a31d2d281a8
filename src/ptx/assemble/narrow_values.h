// Values of 64 bits of which only the lower word counts: addresses of shared, local and constant memory,
// which are words in the machine, and what is computed for them. The assembler computes in words.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Sets Instr::narrow.
void find_narrow_values(Function& function);

}  // namespace heddle::ptx
