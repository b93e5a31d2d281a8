// A conditional branch out of a loop and, behind it, the branch back to its start: one conditional branch
// back, which each turn executes, and one out. The assembler lays loops out so, whatever the compiler wrote.
//
//     L: ...; @p bra OUT; bra L;   becomes   L: ...; @!p bra L; bra OUT;
//
// or, where OUT is not what follows and nobody else reads p, the comparison that makes p is turned instead.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Results are the same for every input.
void turn_branches(Function& function);

}  // namespace heddle::ptx
