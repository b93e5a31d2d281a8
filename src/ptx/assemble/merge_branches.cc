#include "ptx/assemble/merge_branches.h"

#include <algorithm>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"
#include "ptx/assemble/counted_loop.h"
#include "ptx/assemble/machine_cost.h"
#include "ptx/assemble/schedule.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kMostBetween = 8;  // machine instructions

bool is_conditional(const Instr& in) {
  return in.op == Op::Bra && in.guard.kind == Operand::Kind::Pred;
}

// Lanes that would have gone before it may execute it as well.
bool may_come_early(const Instr& in) {
  return in.guard.kind == Operand::Kind::None && !is_load(in.op) && !is_store(in.op) && in.op != Op::Atom &&
         in.op != Op::Red && !keeps_its_place(in) && !is_collective(in.op) && in.matrix == kNoTarget &&
         !in.carry_in && !in.carry_out;
}

class BranchMerging {
 public:
  explicit BranchMerging(Function& f)
      : f_(f), flow_(build_control_flow(f)), live_in_(live_out_of_blocks(f, flow_)) {
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
      for (std::uint32_t i = flow_.blocks[b].end; i-- > flow_.blocks[b].first;)
        step_back(f_, f_.instrs[i], live_in_[b]);
  }

  bool run() {
    bool changed = false;
    for (std::uint32_t b = 0; b + 1 < flow_.blocks.size(); ++b) {
      if (!fits(b)) continue;
      merge(flow_.blocks[b].end - 1, flow_.blocks[b + 1].end - 1);
      changed = true;
    }
    return changed;
  }

 private:
  // Together with the block behind it.
  bool fits(std::uint32_t block) const {
    const Block& next = flow_.blocks[block + 1];
    const Instr &first = f_.instrs[next.first - 1], &second = f_.instrs[next.end - 1];
    if (!is_conditional(first) || !is_conditional(second) || first.target != second.target) return false;
    if (first.guard.negated != second.guard.negated || first.target >= f_.instrs.size()) return false;
    if (next.predecessors != std::vector<std::uint32_t>{block}) return false;
    const RegSet& needed = live_in_[flow_.block_of[first.target]];
    std::uint32_t cost = 0;
    bool overwrites = false;
    for (std::uint32_t i = next.first; i + 1 < next.end; ++i) {
      if (!may_come_early(f_.instrs[i])) return false;
      cost += machine_instructions(f_.instrs[i]);
      for_each_def(f_, f_.instrs[i],
                   [&](std::uint32_t r) { overwrites |= r == first.guard.index || needed.contains(r); });
    }
    return cost <= kMostBetween && !overwrites;
  }

  // The first of the branches becomes the condition of the second. Nobody comes from elsewhere to what is
  // between.
  void merge(std::uint32_t first, std::uint32_t second) {
    const auto begin = f_.instrs.begin();
    std::rotate(begin + first, begin + first + 1, begin + second);
    Instr& condition = f_.instrs[second - 1];
    Instr& branch = f_.instrs[second];
    Operand either = branch.guard, a = condition.guard, b = branch.guard;
    a.negated = b.negated = false;
    either.index = add_register(f_, Type::Pred);
    Instr in;
    in.op = branch.guard.negated ? Op::And : Op::Or;  // of what both deny
    in.type = Type::Pred;
    in.line = condition.line;
    in.column = condition.column;
    in.dst[0] = either;
    in.dst[0].negated = false;
    in.n_dst = 1;
    in.src[0] = a;
    in.src[1] = b;
    in.n_src = 2;
    condition = in;
    branch.guard = either;
  }

  Function& f_;
  const ControlFlow flow_;
  std::vector<RegSet> live_in_;
};

}  // namespace

bool merge_branches(Function& f) {
  return !f.instrs.empty() && BranchMerging(f).run();
}

}  // namespace heddle::ptx
