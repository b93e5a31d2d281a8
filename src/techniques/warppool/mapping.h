// Which of the common patterns the threads of a load follow in one of its lines (rule 9). All but `random`
// fit into ten bits; those take an entry of the thread map table.
#pragma once

#include "sm/coalescer.h"
#include "techniques/warppool/warppool_spec.h"
#include "workload/warp_stream.h"

namespace heddle::warppool {

// `line`: one of the lines that `load` was coalesced into. Words are elements of the load's width, or 4 bytes
// where it is narrower.
Mapping classify(const workload::WarpAccess& load, const sm::LineAccess& line);

}  // namespace heddle::warppool
