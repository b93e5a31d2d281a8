// Basic blocks of a function, and where divergent lanes meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir/module.h"

namespace heddle::ptx {

struct Block {
  std::uint32_t first = 0;  // instruction indices [first, end)
  std::uint32_t end = 0;
  std::vector<std::uint32_t> successors;  // block indices
  std::vector<std::uint32_t> predecessors;
  std::uint32_t post_dominator = kNoTarget;  // block index of the immediate one; kNoTarget: the exit
};

struct ControlFlow {
  std::vector<Block> blocks;
  std::vector<std::uint32_t> block_of;  // by instruction

  // Where lanes that part at the branch at the end of `block` meet: an instruction index, or kNoTarget when
  // they meet only by leaving the function.
  std::uint32_t reconvergence(std::uint32_t block) const;
};

// Falling off the end of a function counts as a return.
ControlFlow build_control_flow(const Function& function);

}  // namespace heddle::ptx
