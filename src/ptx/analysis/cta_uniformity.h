// Which branches go the same way in all threads of a CTA.
//
// A value is uniform when all threads that compute it get the same: made of constants, parameters, the CTA's
// own special registers and what lies in memory at a uniform address. Whatever comes from %tid, from lanes,
// clocks, atomics, calls or local memory is not, nor is what is written where only some threads come along.
// Memory that other threads change meanwhile is taken to be read in order: a volatile or ordered load is not
// uniform.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

class CtaUniformity {
 public:
  // What lies between a branch and the block where all ways from it meet again.
  struct Region {
    std::vector<std::uint32_t> blocks;
    bool leaves = false;  // they never meet: some way ends the function on its own
  };

  // Whether those that stay are taken to be fewer where others leave the function: they are for barriers, not
  // for registers that a warp has once.
  enum class Leaving : std::uint8_t { Divides, Ignored };
  CtaUniformity(const Module& module, const Function& function, const ControlFlow& flow,
                Leaving leaving = Leaving::Divides);

  // Blocks at whose end threads of a CTA may go different ways (or some leave), in ascending order.
  const std::vector<std::uint32_t>& partings() const { return partings_; }
  // Ways that end in a trap count for nothing: they end the kernel for all.
  Region region(std::uint32_t block) const;
  // Whether all threads that execute instruction `at` together have the same address there.
  bool uniform_address(std::uint32_t at) const;

 private:
  void find_post_dominators();
  bool parts(std::uint32_t block) const;
  bool some_leave(std::uint32_t block) const;
  bool makes_divergent(const Instr& in, const RegSet& divergent) const;
  bool spread(const std::vector<std::uint8_t>& divided);
  void step(const Instr& in, bool divided, RegSet& divergent) const;

  const Module& module_;
  const Function& function_;
  const ControlFlow& flow_;
  std::vector<std::uint32_t> post_dominator_;  // by block; blocks.size(): the exit
  std::vector<RegSet> divergent_in_;           // by block: registers with values that differ
  std::vector<std::uint8_t> divided_;          // by block: only some threads may come along
  std::vector<std::uint32_t> partings_;
};

}  // namespace heddle::ptx
