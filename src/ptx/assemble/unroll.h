// Counted loops unrolled as the vendor's assembler does.
//
// nvcc's PTX has most inner loops unrolled by four; ptxas unrolls them once more. A loop
//     R: body; @more bra R
// becomes
//     while four rounds are certain: four bodies without tests between them
//     if two rounds are certain: two bodies
//     if there is more: the loop as it was
// Registers of the copies have names of their own, so that the loads of later ones can move up (schedule.h);
// constants that are added from copy to copy go into the addresses of loads and stores.
//
// What is unrolled and what not was found by giving ptxas 13.0 loops of growing size (sm_90): up to 50
// instructions, accesses outside shared memory counting twice; steps that are constants; bounds that the loop
// leaves alone; no `.pragma "nounroll"`, and nothing that becomes a call (division, square root). It also
// unrolls bodies of several blocks and with barriers, atomics or collectives; these are left alone here.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Results are the same for every input. True: the function has changed.
bool unroll_loops(Function& function);

}  // namespace heddle::ptx
