// How an access depends on CTAs, threads and loops, from its sum.
#pragma once

#include "ptx/analysis/cta_addresses.h"

namespace heddle::ptx {

// Fills all of the access that follows from `offset`, `base` and `loops`.
void describe(Atoms& atoms, GlobalAccess& access);

}  // namespace heddle::ptx
