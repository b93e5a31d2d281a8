#include "ptx/assemble/assemble.h"

#include "ptx/assemble/combine_atomics.h"
#include "ptx/assemble/machine_code.h"
#include "ptx/assemble/merge_branches.h"
#include "ptx/assemble/predicate_branches.h"
#include "ptx/assemble/reload_parameters.h"
#include "ptx/assemble/schedule.h"
#include "ptx/assemble/turn_branches.h"
#include "ptx/assemble/unroll.h"
#include "ptx/assemble/vector_loads.h"
#include "ptx/assemble/wide_addresses.h"

namespace heddle::ptx {

void assemble(Module& module, bool machine_code) {
  for (Function& f : module.functions) {
    fuse_wide_addresses(f);
    turn_branches(f);
    merge_branches(f);
    predicate_branches(module, f);
    unroll_loops(module, f);
    merge_loads(module, f);
    combine_atomics(module, f);
    if (machine_code) {
      reload_parameters(f);
      find_machine_code(module, f);
    }
    f.meets_in_loops = true;
  }
  schedule_instructions(module);
}

}  // namespace heddle::ptx
