// Branches of loops that some lanes may leave while others wait in them.
#pragma once

#include "exec/image/kernel_image.h"
#include "ptx/analysis/control_flow.h"

namespace heddle::exec {

// For a function whose instructions are bound; nothing unless its lanes meet in loops
// (Function::meets_in_loops).
void bind_loop_branches(const ptx::Function& function, const ptx::ControlFlow& flow, std::uint32_t entry_pc,
                        KernelImage& image);

}  // namespace heddle::exec
