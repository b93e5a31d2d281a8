// Whether a CTA waits for another: a loop that ends when a value in global memory changes. In another order
// the one that it waits for may not have started, and may never start. A loop around an atomic (a lock, a
// maximum by compare-and-swap) waits for CTAs that run already and is no reason to refuse, unless the atomic
// only reads.
#pragma once

#include <optional>

#include "techniques/cta_clustering/rewrite/kernel_code.h"

namespace heddle::cta_clustering {

std::optional<ptx::tree::Refusal> refuse_waiting(const KernelCode& code);

}  // namespace heddle::cta_clustering
