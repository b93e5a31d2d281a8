// Whether threads of a CTA may leave a kernel while others still meet.
//
// A thread that has left counts as arrived at every barrier to come. In an agent it has not left: it waits
// for the end of the task, and those at a barrier of the body would wait for it for ever.
#pragma once

#include <optional>

#include "techniques/cta_clustering/rewrite/kernel_code.h"

namespace heddle::cta_clustering {

std::optional<ptx::tree::Refusal> refuse_early_exit(const KernelCode& code);

}  // namespace heddle::cta_clustering
