// Short conditional code without a branch: the assembler guards its instructions instead.
//
//     @p bra L; code; L:                   becomes   @!p code
//     @p bra L; code; bra M; L: more; M:   becomes   @!p code; @p more
// Loads of several such bodies can then be under way at once (schedule.h), and loops of several blocks become
// loops of one (unroll.h).
//
// How long a body may be was asked of ptxas 13.0 for sm_90 (tools/probes/ptxas_blocks.py): 8 machine
// instructions, 6 where all threads go the same way, 20 with a load from global memory; the branch between
// two bodies counts. Bodies with guards of their own, atomics, collectives, barriers or calls keep their
// branch; so do nested ones, but for the innermost, and those behind which the function ends.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Results are the same for every input. True: the function has changed.
bool predicate_branches(const Module& module, Function& function);

}  // namespace heddle::ptx
