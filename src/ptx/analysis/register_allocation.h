// Linear-scan allocation: which slot of the warp's register file holds each virtual register, and how many
// 32-bit registers a thread needs.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

struct RegisterAllocation {
  // By virtual register. Three separate pools: 64-bit values, values up to 32 bits, predicates. They never
  // share storage: inactive lanes keep live values in a slot while others write theirs, and lane i of a
  // 64-bit vector does not lie where lane i of a 32-bit one does. kNoTarget: never used.
  std::vector<std::uint32_t> slot;
  std::uint32_t slots64 = 0;
  std::uint32_t slots32 = 0;
  std::uint32_t predicates = 0;

  // The most 32-bit registers live at once (a 64-bit value counts two), predicates left out, and values that
  // need no register of the thread: kernel parameters and what is computed from them alone.
  std::uint32_t max_live = 0;
  // The same if every block's loads were issued at its start; or at its start and behind each barrier in it.
  std::uint32_t max_hoisted = 0;
  std::uint32_t max_hoisted_to_barriers = 0;
};

RegisterAllocation allocate_registers(const Function& function, const ControlFlow& cf);

// Registers per thread as the hardware would allocate them: what linear scan needs, plus what the vendor's
// assembler adds, within .maxnreg or the launch bounds. `register_file` is 65,536 on every card since Kepler;
// the most threads of an SM are 2,048 on most, 1,024 on Turing, 1,536 on GA10x and AD10x. `with_spare`:
// of code as assembled (ptx/assemble), with what the assembler takes beyond need to move loads up where a
// full SM is out of reach anyway.
std::uint32_t registers_per_thread(const Function& function, const RegisterAllocation& allocation,
                                   std::uint32_t register_file = 65536, std::uint32_t threads_per_sm = 2048,
                                   bool with_spare = false);

}  // namespace heddle::ptx
