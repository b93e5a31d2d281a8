#include "ptx/assemble/turn_branches.h"

#include <utility>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/assemble/rewrite.h"

namespace heddle::ptx {
namespace {

bool is_branch(const Instr& in, Operand::Kind guard) {
  return in.op == Op::Bra && in.guard.kind == guard;
}

}  // namespace

void turn_branches(Function& f) {
  if (f.instrs.empty()) return;
  const ControlFlow flow = build_control_flow(f);
  std::vector<std::uint8_t> gone(f.instrs.size());
  bool any = false;
  for (std::uint32_t b = 0; b + 1 < flow.blocks.size(); ++b) {
    const Block& next = flow.blocks[b + 1];
    Instr &first = f.instrs[next.first - 1], &second = f.instrs[next.first];
    if (!is_branch(first, Operand::Kind::Pred) || !is_branch(second, Operand::Kind::None)) continue;
    const bool back = second.target < next.first;
    const bool out = first.target > next.first || first.target < second.target;
    if (!back || !out || next.predecessors != std::vector<std::uint32_t>{b}) continue;
    std::swap(first.target, second.target);
    first.guard.negated = !first.guard.negated;
    if (second.target == next.end) gone[next.first] = any = true;
  }
  if (any) drop_instructions(f, gone);
}

}  // namespace heddle::ptx
