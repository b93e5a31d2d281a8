// What sm/load_front.h asks of every load front, on random accesses of some warps and an L1 that refuses,
// hits, misses and answers as it likes: every line is asked for as it must be and every load answered once, a
// warp's own order and its barriers hold, and a front that is only looked at when it says so does the same as
// one that is looked at in every cycle.
#pragma once

#include <cstdint>

#include "sm/load_fronts.h"
#include "tests/contract/findings.h"

namespace heddle::contract {

struct FrontReport {
  Findings findings;
  std::uint64_t requests = 0, loads = 0, merged = 0;
};
// `make` empty: the load/store unit itself.
FrontReport check_front(const sm::LoadFrontFactory& make, std::uint64_t seeds = 6);

}  // namespace heddle::contract
