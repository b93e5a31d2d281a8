// Neighbouring loads from shared memory as one: the assembler merges two or four words that lie side by side
// (LDS.64, LDS.128) where it knows that their address is aligned; it places shared variables itself. Loads
// from other spaces stay: nothing is known of pointers.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Merges within basic blocks; gives shared variables the alignment that this needs. Results are the same.
void merge_shared_loads(Module& module, Function& function);

}  // namespace heddle::ptx
