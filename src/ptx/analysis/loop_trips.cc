// How often loops run: from the comparison that ends them.
#include "ptx/analysis/symbolic_values.h"
#include "ptx/ir/comparison.h"

namespace heddle::ptx {
void SymbolicValues::find_trips() {
  for (std::uint32_t l = 0; l < forest_.loops.size(); ++l)
    for (std::uint32_t b : forest_.loops[l].blocks)
      if (read_counter(l, b)) break;
}

bool SymbolicValues::read_counter(std::uint32_t loop, std::uint32_t block) {
  const std::uint32_t last = flow_.blocks[block].end - 1;
  const Instr& branch = function_.instrs[last];
  if (branch.op != Op::Bra || branch.guard.kind != Operand::Kind::Pred) return false;
  const bool taken_stays = forest_.contains(loop, flow_.block_of[branch.target]);
  const bool falls_out = last + 1 >= function_.instrs.size();
  const bool next_stays = !falls_out && forest_.contains(loop, flow_.block_of[last + 1]);
  if (taken_stays == next_stays) return false;
  std::uint32_t test = last_definition(block, last, branch.guard.index);
  if (test == kNoTarget && definitions_[branch.guard.index].size() == 1)
    test = definitions_[branch.guard.index][0];
  if (test == kNoTarget) return false;
  const Instr& in = function_.instrs[test];
  if (in.op != Op::Setp || in.bool_op != BoolOp::None || is_float(in.type) || in.type == Type::Pred)
    return false;
  const Cmp when_true = plain(in.cmp);
  const Cmp leaves = (branch.guard.negated == taken_stays) ? when_true : opposite(when_true);

  const Sum difference = operand(in.src[0], in.type, test).sum - operand(in.src[1], in.type, test).sum;
  const std::uint32_t id = first_loop_ + loop;
  const AtomId iteration = atoms_.simple(AtomKind::Iteration, id);
  const std::optional<Sum> slope = difference.factor_of(iteration);
  if (!slope || slope->terms().empty() || !atoms_.uniform(*slope)) return false;
  const Sum start = difference.with(iteration, Sum(0));
  if ((atoms_.causes(start) & (by_loop(id) | kByUnknown)) != 0) return false;
  // Sizes and strides are positive.
  const bool up = slope->terms().front().factor > 0;
  if (leaves != Cmp::Eq && leaves != (up ? Cmp::Ge : Cmp::Le) && leaves != (up ? Cmp::Gt : Cmp::Lt))
    return false;
  SymbolicLoop& found = atoms_.loops[id];
  found.distance = Sum(up ? -1 : 1) * start;
  if (leaves == Cmp::Gt || leaves == Cmp::Lt) found.distance = *found.distance + Sum(1);
  found.step = Sum(up ? 1 : -1) * *slope;
  // Tested behind the body, it has run once more.
  const NaturalLoop& l = forest_.loops[loop];
  const bool in_front = block == l.header && !(l.latches.size() == 1 && l.latches[0] == block);
  found.extra = in_front ? 0 : 1;
  return true;
}

}  // namespace heddle::ptx
