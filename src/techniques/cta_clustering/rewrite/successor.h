// Prefetching for the task that comes next (PFH, rule 16): code that computes, for another task's place, the
// addresses that the kernel's global loads begin with.
//
// Followed are addresses made of parameters, the thread's and the task's place alone; of a value that a loop
// changes, the one before the loop. Addresses that are the same for all tasks, or that hang on what was
// loaded, are left alone. A guess is enough: a prefetch changes no result, and where nothing lies it does
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "techniques/cta_clustering/rewrite/kernel_code.h"

namespace heddle::cta_clustering {

struct SuccessorPrefetch {
  std::string declarations;
  // To be read by `named`: %HD_nx, %HD_ny, %HD_nz are the place, %HD_gx, %HD_gy, %HD_gz the grid.
  std::string code;
  std::uint32_t loads = 0;  // 0: there is nothing to prefetch
};

// Of the kernel as it is before its task registers are replaced.
SuccessorPrefetch successor_prefetch(const KernelCode& code);

}  // namespace heddle::cta_clustering
