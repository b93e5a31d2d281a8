// The hypothetical single L1 (rule 15): all SMs access one cache that has the capacity, the MSHRs and the
// bandwidth of all private L1s together, as near as a private one and with no network between. A limit: what
// caches that hold no line twice could give.
//
// The SMs and the cache are one unit, so threads of the host do not share its work. Every SM has a port of
// its own to the cache (l1.port_bytes each). What the cache asks of L2 leaves by as many lanes as there are
// SMs, each to its cluster's port as a private L1's; a line has its lane, by a hash, so that all about a line
// stays in order and every port of the memory networks is used, whoever asks.
#pragma once

#include "hierarchy/l1_organization.h"

namespace heddle::decoupled_l1 {

extern const hierarchy::OrganizationKind kSingle;

}  // namespace heddle::decoupled_l1
