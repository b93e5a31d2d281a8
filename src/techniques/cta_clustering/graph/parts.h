// Which part each vertex is in: made exact in size, then better by swapping.
#pragma once

#include <cstdint>
#include <vector>

#include "techniques/cta_clustering/graph/reuse_graph.h"

namespace heddle::cta_clustering {

using Parts = std::vector<std::uint32_t>;  // by vertex

// Part p has `sizes[p]` vertices then. Those that lose least move, from parts that are too large to parts
// that are too small. The sizes' sum is the number of vertices.
void make_exact(const ReuseGraph& graph, const std::vector<std::uint64_t>& sizes, Parts& parts);

// Swaps two vertices of different parts, or moves one from a part to another that is smaller by one, while
// that makes the cut smaller: there are as many parts of each size as before. At most `rounds` over all
// vertices.
void swap_for_less(const ReuseGraph& graph, int rounds, Parts& parts);

}  // namespace heddle::cta_clustering
