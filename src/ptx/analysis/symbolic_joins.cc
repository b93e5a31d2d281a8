// Registers that come with several values: from the ways to a block, and from a loop's iterations.
#include <algorithm>

#include "ptx/analysis/symbolic_values.h"

namespace heddle::ptx {
namespace {

constexpr Causes kVaries = kByCta | kByThread | kByLoops | kByData | kByUnknown;

}  // namespace

// What the branches between a block and the last one that all ways to it pass decide by.
std::vector<Sum> SymbolicValues::deciders(std::uint32_t block) {
  std::vector<std::uint32_t> at = flow_.blocks[block].predecessors;
  if (forest_.dominator[block] != kNoTarget) at.push_back(forest_.dominator[block]);
  std::vector<Sum> found;
  for (std::uint32_t b : at) {
    const std::uint32_t last = flow_.blocks[b].end - 1;
    const Instr& in = function_.instrs[last];
    if (in.guard.kind != Operand::Kind::None) found.push_back(operand(in.guard, Type::Pred, last).sum);
    if (in.op == Op::BrxIdx && in.n_src > 0) found.push_back(operand(in.src[0], Type::U32, last).sum);
  }
  return found;
}

SymbolicValue SymbolicValues::choice(const std::vector<SymbolicValue>& values, const std::vector<Sum>& by) {
  const SymbolicValue* varying = nullptr;
  bool several = false, same = true, near = true;
  for (const SymbolicValue& v : values) {
    same &= v.sum == values[0].sum;
    near &= (v.sum - values[0].sum).is_constant();
    if ((atoms_.causes(v.sum) & kVaries) == 0) continue;
    several |= varying != nullptr && varying->sum != v.sum;
    varying = &v;
  }
  bool about = true;
  if (same) {
    about = std::any_of(values.begin(), values.end(), [](const SymbolicValue& v) { return v.about; });
    return {values[0].sum, about};
  }
  // A clamp, or a value for the rim: what varies is what counts.
  if (varying != nullptr && !several) return {varying->sum, true};
  if (varying != nullptr && near) return {values[0].sum, true};
  Atom choice{.kind = AtomKind::Function, .join = JoinKind::Choice};
  for (const SymbolicValue& v : values) choice.args.push_back(v.sum);
  choice.args.insert(choice.args.end(), by.begin(), by.end());
  return {Sum::of(atoms_.intern(std::move(choice))), true};
}

SymbolicValue SymbolicValues::at_loop(std::uint32_t loop, std::uint32_t reg, AtomId pending) {
  const NaturalLoop& l = forest_.loops[loop];
  std::vector<std::uint32_t> outer;
  for (std::uint32_t p : flow_.blocks[l.header].predecessors)
    if (std::find(l.latches.begin(), l.latches.end(), p) == l.latches.end()) outer.push_back(p);
  const SymbolicValue start = outer.empty() ? unknown() : from(outer, l.header, reg);
  if (!l.defined.contains(reg)) return start;
  return after_iteration(loop, start, resolved(from(l.latches, l.header, reg)), pending);
}

SymbolicValue SymbolicValues::after_iteration(std::uint32_t loop, const SymbolicValue& start,
                                              const SymbolicValue& end, AtomId pending) {
  const Sum own = Sum::of(pending);
  if (end.sum == own && !end.about) return start;
  const std::uint32_t id = first_loop_ + loop;
  const Sum iteration = Sum::of(atoms_.simple(AtomKind::Iteration, id));
  const Sum step = end.sum - own;
  if (step.mentions(pending)) {
    if (!end.sum.mentions(pending)) {  // made anew in every iteration
      SymbolicValue v = choice({end, start}, {iteration});
      v.about = true;
      return v;
    }
    Atom f{.kind = AtomKind::Function, .join = JoinKind::Drift, .args = {start.sum, end.sum, iteration}};
    return {Sum::of(atoms_.fresh(std::move(f))), true};
  }
  if (!end.about && (atoms_.causes(step) & (by_loop(id) | kByUnknown)) == 0)
    return {start.sum + step * iteration, start.about};
  // More in some iterations than in others: the start counts, and that it varies with the loop.
  Atom drift{.kind = AtomKind::Function, .join = JoinKind::Drift, .args = {step, iteration}};
  return {start.sum + Sum::of(atoms_.fresh(std::move(drift))), true};
}

}  // namespace heddle::ptx
