// What cluster/miss_merger.h asks of every merger, on random requests: each gets one answer, nothing is
// merged that may not be, counts add up, and what it holds is fresh.
#pragma once

#include "cluster/mergers.h"
#include "tests/contract/findings.h"

namespace heddle::contract {

struct MergerReport {
  Findings findings;
  std::uint64_t held = 0;  // reads that were answered from what the merger stores
};

// fresh: also what mergers that hold lines must obey; some have parameters that give that up on purpose.
MergerReport check_merger(const cluster::MergerFactory& make, bool fresh = true);

}  // namespace heddle::contract
