// Rule 9: in which direction CTAs are neighbours in a cluster.
#pragma once

#include "techniques/cta_clustering/framework/static_class.h"

namespace heddle::cta_clustering {

Partitioning choose_partition(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                              const Evidence& evidence, Category category);

}  // namespace heddle::cta_clustering
