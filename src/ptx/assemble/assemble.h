// What the vendor's assembler does to the code of a module, as far as it decides when a warp issues what:
// fuses address arithmetic, guards short conditional code, unrolls loops, merges loads from shared memory,
// lets a warp's lanes share an atomic, lets lanes meet inside loops that others leave, and orders
// instructions. Results stay the same.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// `machine_code`: and finds which machine instructions it makes (machine_code.h).
void assemble(Module& module, bool machine_code = false);

}  // namespace heddle::ptx
