// A warp has six barriers for results whose time the assembler does not know: loads, textures, shuffles,
// special functions, conversions. What reads such a result waits for the barrier, and so for all results that
// are to come to it. ptxas gives a barrier of their own to results that one instruction reads; when most
// barriers are taken, it puts the next result to the last of them (machine code in
// validation/training/sass*.tar.gz; tools/probes/code_distances.py).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workload/warp_stream.h"

namespace heddle::exec {

// `starts`: by instruction, whether a basic block begins there. Marks what waits for more than its operands
// (StaticInstr::waited_for).
void share_result_barriers(std::span<workload::StaticInstr> code, const std::vector<bool>& starts);

}  // namespace heddle::exec
