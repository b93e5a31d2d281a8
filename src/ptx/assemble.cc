#include "ptx/assemble.h"

#include "ptx/schedule.h"
#include "ptx/unroll.h"
#include "ptx/vector_loads.h"
#include "ptx/wide_addresses.h"

namespace heddle::ptx {

void assemble(Module& module) {
  for (Function& f : module.functions) {
    fuse_wide_addresses(f);
    unroll_loops(f);
    merge_shared_loads(module, f);
  }
  schedule_instructions(module);
}

}  // namespace heddle::ptx
