// Neighbouring loads from shared and constant memory as one: the assembler merges words that lie side by
// side, two or four of shared memory (LDS.64, LDS.128), two constants (LDC.64), where it knows that their
// address is aligned; it places such variables itself. Loads from other spaces stay: nothing is known of
// pointers.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Merges within basic blocks; gives variables the alignment that this needs. Results are the same.
void merge_loads(Module& module, Function& function);

}  // namespace heddle::ptx
