// The loops of a function: a block that all ways into the loop pass, and all blocks that lead back to it.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"

namespace heddle::ptx {

struct NaturalLoop {
  std::uint32_t header = 0;           // block index
  std::vector<std::uint32_t> blocks;  // ascending
  std::vector<std::uint32_t> latches;
  std::uint32_t parent = kNoTarget;  // the smallest loop around it
  RegSet defined;                    // registers that are written in it

  explicit NaturalLoop(std::size_t registers) : defined(registers) {}
};

struct LoopForest {
  std::vector<std::uint32_t> dominator;  // by block: the immediate one; kNoTarget: entry, or never reached
  std::vector<NaturalLoop> loops;        // outer ones before those inside
  std::vector<std::uint32_t> innermost;  // by block: loop index; kNoTarget: in none
  std::vector<std::uint32_t> headed_by;  // by block: the loop that it is the header of; kNoTarget: of none

  bool contains(std::uint32_t loop, std::uint32_t block) const;
};

LoopForest find_loops(const Function& function, const ControlFlow& flow);

}  // namespace heddle::ptx
