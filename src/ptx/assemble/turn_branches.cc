#include "ptx/assemble/turn_branches.h"

#include <utility>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"
#include "ptx/assemble/rewrite.h"
#include "ptx/ir/comparison.h"

namespace heddle::ptx {
namespace {

bool is_branch(const Instr& in, Operand::Kind guard) {
  return in.op == Op::Bra && in.guard.kind == guard;
}

// The comparison of integers that makes the predicate of the branch at `at`, in its block and for nobody
// else.
Instr* own_test(Function& f, const Block& block, std::uint32_t at) {
  const std::uint32_t p = f.instrs[at].guard.index;
  Instr* test = nullptr;
  unsigned defined = 0, used = 0;
  for (std::uint32_t i = 0; i < f.instrs.size(); ++i) {
    Instr& in = f.instrs[i];
    for_each_use(f, in, [&](std::uint32_t r) { used += r == p ? 1 : 0; });
    for_each_def(f, in, [&](std::uint32_t r) {
      if (r != p) return;
      ++defined;
      const bool plain_test = in.op == Op::Setp && in.bool_op == BoolOp::None && in.n_dst == 1 &&
                              !is_float(in.type) && plain(in.cmp) == in.cmp &&
                              in.guard.kind == Operand::Kind::None;
      if (i >= block.first && i < at && plain_test) test = &in;
    });
  }
  return defined == 1 && used == 1 ? test : nullptr;
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
    const bool leaves_to_next = second.target == next.end;
    Instr* test = leaves_to_next ? nullptr : own_test(f, flow.blocks[b], next.first - 1);
    if (test != nullptr)
      test->cmp = opposite(test->cmp);
    else
      first.guard.negated = !first.guard.negated;
    if (leaves_to_next) gone[next.first] = any = true;
  }
  if (any) drop_instructions(f, gone);
}

}  // namespace heddle::ptx
