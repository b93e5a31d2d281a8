// Which loops the vendor's assembler unrolls.
//
// What is unrolled and what not was found by giving ptxas 13.0 loops of growing size (sm_90;
// tools/probes/ptxas_blocks.py): steps that are constants; bounds that the loop leaves alone; no
// `.pragma "nounroll"`, and nothing that becomes a call (division, square root). With a load from global
// memory up to 50 machine instructions, of which accesses outside shared memory count twice and a branch that
// has become a guard (predicate_branches.h) once; without one up to 21, and 4 more for each load from shared
// memory. Bodies with barriers, atomics or collectives only where all threads of a CTA make the same number
// of rounds. It also unrolls bodies of several blocks; these are left alone here.
#pragma once

#include <vector>

#include "ptx/assemble/counted_loop.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

// In the order of the text.
std::vector<CountedLoop> find_loops_to_unroll(const Module& module, const Function& function);

}  // namespace heddle::ptx
