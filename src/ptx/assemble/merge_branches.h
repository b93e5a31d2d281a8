// Two branches to one place, one behind the other, with nothing between them that must not be executed too
// often: one branch, by either condition. The assembler does so with `a || b` and with the conditions that
// end a loop.
//
//     @p bra L; code; @q bra L;   becomes   code; or r, p, q; @r bra L;
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Results are the same for every input. True: the function has changed.
bool merge_branches(Function& function);

}  // namespace heddle::ptx
