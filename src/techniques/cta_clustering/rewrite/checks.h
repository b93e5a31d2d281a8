// What keeps a kernel from being rewritten.
#pragma once

#include <optional>

#include "techniques/cta_clustering/rewrite/kernel_code.h"

namespace heddle::cta_clustering {

// For whoever lets CTAs run in another order than the hardware's.
std::optional<ptx::tree::Refusal> refuse_another_order(const KernelCode& code);

// For whoever lets one CTA do the work of several, one after the other: that, and what ends with a CTA or
// counts those that have ended.
std::optional<ptx::tree::Refusal> refuse_tasks(const KernelCode& code);

// A barrier that no function of the kernel uses; -1: there is none. After refuse_tasks.
int free_barrier(const KernelCode& code);

}  // namespace heddle::cta_clustering
