// The order in which the vendor's assembler would issue the instructions of a function.
//
// PTX comes in the order of the source: a load, its use, the next load, its use. The assembler moves loads
// up, so that a warp has several under way before it waits for the first; on a machine that issues in order
// this is most of its memory-level parallelism. Here: list scheduling of each basic block, longest path
// first, as soon as its operands and its unit (machine_cost.h) are there, within a number of registers. Loads
// leave room for what will be computed from them, addresses that take registers do not run ahead of the
// loads before theirs (validation/data/ptxas_order.csv has what ptxas 13.0 does), and a store does not wait
// for the value of a load that it must not pass. What decides a branch or guards an instruction is needed long
// before (validation/data/h200_loop_rate.csv), so that a loop's counter and comparison come early.
// Nothing moves across a branch, a barrier, a fence or what becomes a call (machine_cost.h); no access moves
// across another to the same space when one of the two is a store or an atomic. Collectives move as
// arithmetic does. Results are the same.
#pragma once

#include <cstdint>

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Stays where it is, and nothing passes it: control, barriers, ordered accesses, calls, what reads a clock.
bool keeps_its_place(const Instr& in);

// `registers`: 32-bit registers that a thread should have live at once, beside seven predicates: nothing
// moves up beyond that. When nothing fits any more, what frees most comes next, which may take a few more.
void schedule_instructions(Function& function, std::uint32_t registers);

// Every function of the module, each within the registers that registers_per_thread() finds for it as it is,
// with some to spare.
void schedule_instructions(Module& module);

}  // namespace heddle::ptx
