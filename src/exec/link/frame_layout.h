// Where a function's formals and variables lie in its frame of local memory.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir/module.h"

namespace heddle::exec {

// Of every compute capability (CUDA C++ Programming Guide, technical specifications).
inline constexpr std::uint64_t kMostLocalBytes = 512u << 10;

// Formals first and in order, so that a caller that only has the prototype knows their places.
struct FrameLayout {
  std::vector<std::uint32_t> returns, params, variables;
  std::uint64_t bytes = 0;

  explicit FrameLayout(const ptx::Function& f);
  // Throws Error when no card has as much local memory.
  void check(const ptx::Module& module, const ptx::Function& f) const;
};

}  // namespace heddle::exec
