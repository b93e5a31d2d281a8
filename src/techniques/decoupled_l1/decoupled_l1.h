// DC-L1: L1 caches taken out of the cores, aggregated into fewer nodes, and shared (docs/specs/dcl1.md).
#pragma once

#include "hierarchy/l1_organization.h"

namespace heddle::decoupled_l1 {

extern const hierarchy::OrganizationKind kDecoupled;

}  // namespace heddle::decoupled_l1
