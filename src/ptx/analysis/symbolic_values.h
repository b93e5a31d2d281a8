// What registers hold, as sums (symbolic_sum.h): integer arithmetic is followed through all of a function,
// registers that a loop adds something to become that many times the loop's iteration, values that ways
// through the program leave different become functions of what decides.
//
// Taken for granted: indices do not wrap around, and float coordinates of textures are whole numbers plus
// less than one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/natural_loops.h"
#include "ptx/analysis/symbolic_atoms.h"

namespace heddle::ptx {

// What is known of a launch: it takes the place of symbols.
struct KnownLaunch {
  std::optional<std::array<std::uint32_t, 3>> grid, block;
  std::map<std::uint32_t, std::int64_t> parameters;  // scalars, by byte in the parameter block
};

struct SymbolicValue {
  Sum sum;
  bool about = false;  // near this value: clamped, rounded, or chosen between neighbours
  friend bool operator==(const SymbolicValue&, const SymbolicValue&) = default;
};

// What a device function gets where it is called; of a kernel: nothing.
struct SymbolicCaller {
  std::map<std::uint32_t, SymbolicValue> formals;  // by the formal's symbol and byte
  std::uint32_t loop = kNoTarget;                  // around the call
  unsigned depth = 0;
};

class SymbolicValues {
 public:
  using Caller = SymbolicCaller;

  // All outlive this.
  SymbolicValues(const Module& module, const Function& function, const KnownLaunch& known, Atoms& atoms,
                 Caller caller = {});

  // What the instruction reads there.
  SymbolicValue operand(const Operand& operand, Type type, std::uint32_t instr);
  SymbolicValue result(std::uint32_t instr, std::uint8_t which);
  // What the instruction's address is made of, offset included.
  SymbolicValue address(std::uint32_t instr);
  // Loops around an instruction, outermost first; indices of Atoms::loops.
  std::vector<std::uint32_t> loops_around(std::uint32_t instr) const;
  // What the called function sees, where the arguments can be followed.
  std::optional<Caller> caller_at(std::uint32_t call_instr);
  // How often loops run, where counters decide.
  void find_trips();

  const Function& function() const { return function_; }
  const ControlFlow& flow() const { return flow_; }

 private:
  friend class SymbolicOperations;
  using Key = std::uint64_t;

  SymbolicValue before(std::uint32_t instr, std::uint32_t reg);
  SymbolicValue after(std::uint32_t instr, std::uint32_t reg);
  SymbolicValue at_entry(std::uint32_t block, std::uint32_t reg);
  SymbolicValue at_exit(std::uint32_t block, std::uint32_t reg);
  SymbolicValue from(const std::vector<std::uint32_t>& blocks, std::uint32_t join, std::uint32_t reg);
  SymbolicValue at_loop(std::uint32_t loop, std::uint32_t reg, AtomId pending);
  SymbolicValue after_iteration(std::uint32_t loop, const SymbolicValue& start, const SymbolicValue& end,
                                AtomId pending);
  // One of several values; `deciders`: what it depends on which.
  SymbolicValue choice(const std::vector<SymbolicValue>& values, const std::vector<Sum>& deciders);
  std::vector<Sum> deciders(std::uint32_t block);
  // Iterations of loops that do not contain the block are over: the last one counts.
  SymbolicValue outside(SymbolicValue v, std::uint32_t block) const;
  SymbolicValue resolved(SymbolicValue v) const { return {atoms_.resolved(v.sum), v.about}; }
  std::uint32_t last_definition(std::uint32_t block, std::uint32_t end, std::uint32_t reg) const;
  void solve_headers();
  void solve_around(std::uint32_t loop, std::uint32_t reg);
  bool read_counter(std::uint32_t loop, std::uint32_t block);
  SymbolicValue unknown();

  const Module& module_;
  const Function& function_;
  const KnownLaunch& known_;
  Atoms& atoms_;
  Caller caller_;
  ControlFlow flow_;
  LoopForest forest_;
  std::uint32_t first_loop_ = 0;                         // of this function in Atoms::loops
  std::vector<std::vector<std::uint32_t>> definitions_;  // by register, ascending
  std::unordered_map<Key, SymbolicValue> entries_, results_;
  unsigned depth_ = 0;
};

}  // namespace heddle::ptx
