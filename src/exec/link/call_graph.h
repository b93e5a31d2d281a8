// The functions that a kernel can reach, and the local memory that the deepest of its calls takes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ptx/ir/module.h"

namespace heddle::exec {

struct CallGraph {
  std::vector<std::uint32_t> functions;             // Module::functions; [0] is the kernel
  std::map<std::uint32_t, std::uint32_t> index_of;  // in `functions`, by Module::functions
  // By function: those it may call, as indices in `functions`. An indirect call may reach every function
  // whose address is taken anywhere in the module.
  std::vector<std::vector<std::uint32_t>> callees;
};
CallGraph build_call_graph(const ptx::Module& module, std::uint32_t kernel);

struct StackNeed {
  std::uint32_t bytes = 0;  // of the deepest chain of calls, each function at most once
  bool recursive = false;
};
// `frame_bytes` by function of the graph.
StackNeed deepest_stack(const CallGraph& graph, std::span<const std::uint32_t> frame_bytes);

}  // namespace heddle::exec
