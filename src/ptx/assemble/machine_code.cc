#include "ptx/assemble/machine_code.h"

#include <algorithm>
#include <unordered_set>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/cta_uniformity.h"
#include "ptx/analysis/natural_loops.h"
#include "ptx/assemble/fold_operations.h"
#include "ptx/assemble/local_arrays.h"
#include "ptx/assemble/narrow_values.h"
#include "ptx/assemble/uniform_constants.h"
#include "ptx/assemble/value_moves.h"

namespace heddle::ptx {
namespace {

bool is_integer_division(const Instr& in) {
  return (in.op == Op::Div || in.op == Op::Rem) && !is_float(in.type);
}

// The reciprocal of a divisor that a loop does not change is found before the loop.
void find_divisors(Function& f, const ControlFlow& flow) {
  const LoopForest forest = find_loops(f, flow);
  for (std::uint32_t i = 0; i < f.instrs.size(); ++i) {
    Instr& in = f.instrs[i];
    if (!is_integer_division(in) || in.src[1].kind != Operand::Kind::Reg) continue;
    const std::uint32_t loop = forest.innermost[flow.block_of[i]];
    in.varying = loop == kNoTarget || forest.loops[loop].defined.contains(in.src[1].index);
  }
}

bool has_integer_division(const Function& f) {
  for (const Instr& in : f.instrs)
    if (is_integer_division(in)) return true;
  return false;
}

bool leaves(const Function& f, const Block& block) {
  const Op op = f.instrs[block.first].op;
  return op == Op::Ret || op == Op::Exit;
}

// Whether lanes that part at the end of a block come together again without leaving.
bool meets(const Function& f, const ControlFlow& flow, const Block& block) {
  if (block.post_dominator == kNoTarget) return false;
  return std::none_of(block.successors.begin(), block.successors.end(),
                      [&](std::uint32_t b) { return leaves(f, flow.blocks[b]); });
}

// BSSY before a branch at whose ends threads of a CTA may part, BSYNC where they meet, unless they meet by
// leaving. Branches with the same end share them.
void find_joins(const Module& module, Function& f, const ControlFlow& flow) {
  bool any = false;
  for (const Instr& in : f.instrs) any |= in.op == Op::Bra && in.guard.kind == Operand::Kind::Pred;
  if (!any) return;
  const CtaUniformity uniformity(module, f, flow);
  std::unordered_set<std::uint32_t> ends;
  for (const std::uint32_t b : uniformity.partings()) {
    const Block& block = flow.blocks[b];
    Instr& branch = f.instrs[block.end - 1];
    const bool forward = branch.op == Op::Bra && branch.target >= block.end;
    if (forward && meets(f, flow, block)) branch.joins = ends.insert(block.post_dominator).second;
  }
}

}  // namespace

void find_machine_code(const Module& module, Function& f) {
  if (f.instrs.empty()) return;
  f.machine_code = true;
  const ControlFlow flow = build_control_flow(f);
  fold_operations(f, flow);
  find_narrow_values(f);
  find_local_arrays(module, f, flow);
  if (has_integer_division(f)) find_divisors(f, flow);
  find_joins(module, f, flow);
  find_uniform_constants(module, f, flow);
  find_value_moves(f, flow);
}

}  // namespace heddle::ptx
