// Accesses at a fixed place of a variable, [variable+constant]: whether they lie inside it is known when a
// kernel is linked.
#pragma once

#include <optional>
#include <string>

#include "exec/image/code.h"
#include "exec/warp/warp.h"
#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::exec {

struct OutsideAccess {
  std::string message;  // the access's bytes, the variable and its size
  std::string advice;
};

// The first access of this instruction that does not lie inside the variable it names.
//
// Left to the check of every access at run time: variables whose size the launch decides (`extern .shared
// x[]`), and those in global memory. A card protects global memory by pages, so that programs run which read
// a little past a variable (passes_as_on_a_card); who must know finds them by the run-time check, which is
// exact.
std::optional<OutsideAccess> outside_access(const ptx::Module& module, const ptx::Function& function,
                                            const ptx::Instr& instr);

// Whether every way through the function executes instruction `at`. Compilers leave accesses outside of a
// variable in code that never runs (an unrolled loop whose end is tested at run time): such a program is
// right, and an error only when a thread gets there.
bool always_executed(const ptx::Function& function, const ptx::ControlFlow& flow, std::uint32_t at);

// The handler of an access that is outside: stops the kernel.
void fault_outside(Warp& warp, const Code& code, Mask active);

}  // namespace heddle::exec
