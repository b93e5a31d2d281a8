// Loops of one basic block that count a register to a bound by a constant step.
//
// A condition on the counter tells that the next k rounds run whatever happens in them: that no test among
// them ends the loop. It is exact about signs and wrap-around, and may err only on the side of "not certain".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

struct CountedLoop {
  std::uint32_t first = 0, end = 0;  // instructions; the last one is the branch back
  std::uint32_t test = 0;            // the setp
  std::uint32_t tested = 0;          // the register that it compares with the bound
  bool bound_first = false;          // as its operands stand
  std::uint32_t counter = 0;         // virtual register, at the end of a round what `test` looked at
  Type type = Type::None;            // S32, U32, S64 or U64: how `cmp` compares
  Cmp cmp = Cmp::None;               // Ne, Lt, Le, Gt or Ge: goes on while true
  std::int64_t step = 0;
  Operand bound;  // an immediate, or a register that the loop does not write
};

// nullopt: the block is no such loop.
std::optional<CountedLoop> find_counted_loop(const Function& f, const ControlFlow& cf, std::uint32_t block);

// Instructions that set `certain` when `rounds` (at least 2) more rounds are known to run after a round that
// ended with the counter of the moment: its test passes, and those of the next rounds - 1. `once`: ahead of a
// loop, whatever the counter; `every`: each time. Adds registers to the function.
struct CertainRounds {
  std::vector<Instr> once, every;
  Operand certain;
};
CertainRounds certain_rounds(Function& f, const CountedLoop& loop, std::uint32_t rounds);

std::uint32_t add_register(Function& f, Type type);

}  // namespace heddle::ptx
