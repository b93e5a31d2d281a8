// Where all ways from a node of a graph to its end pass.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::ptx {

// The immediate post-dominator of each node; kNoTarget: the end itself, or a node that never reaches it.
// `leaves`: nodes that have an edge to the end.
std::vector<std::uint32_t> post_dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                           const std::vector<std::uint8_t>& leaves);

}  // namespace heddle::ptx
