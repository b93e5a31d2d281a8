// Counted loops unrolled as the vendor's assembler does (which: loops_to_unroll.h).
//
// nvcc's PTX has most inner loops unrolled by four; ptxas unrolls them once more. A loop
//     R: body; @more bra R
// becomes
//     while four rounds are certain: four bodies without tests between them
//     if two rounds are certain: two bodies
//     if there is more: the loop as it was
// Registers of the copies have names of their own, so that the loads of later ones can move up (schedule.h);
// constants that are added from copy to copy go into the addresses of loads and stores.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Results are the same for every input. True: the function has changed.
bool unroll_loops(const Module& module, Function& function);

}  // namespace heddle::ptx
