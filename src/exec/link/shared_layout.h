// Where the variables of a kernel and of the functions it can reach lie in shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "exec/link/call_graph.h"
#include "ptx/ir/module.h"

namespace heddle::exec {

// Static variables in the order of first use, then `extern .shared` behind them all.
struct SharedLayout {
  std::map<std::uint32_t, std::uint32_t> of_module;  // offset, by Module::variables
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      of_function;  // offset, by Module::functions and Function::variables
  std::uint32_t bytes = 0;

  // Throws Error when they take more than any address can name.
  SharedLayout(const ptx::Module& module, const CallGraph& graph);
};

}  // namespace heddle::exec
