#include "ptx/analysis/symbolic_values.h"

#include <algorithm>

#include "ptx/analysis/symbolic_operations.h"

namespace heddle::ptx {
namespace {

constexpr unsigned kDeepest = 2000;  // chains of blocks and instructions that are followed backwards

std::uint64_t key(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32 | b;
}

class Deeper {
 public:
  explicit Deeper(unsigned& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  unsigned& depth_;
};

}  // namespace

SymbolicValues::SymbolicValues(const Module& module, const Function& function, const KnownLaunch& known,
                               Atoms& atoms, Caller caller)
    : module_(module),
      function_(function),
      known_(known),
      atoms_(atoms),
      caller_(std::move(caller)),
      flow_(build_control_flow(function)),
      forest_(find_loops(function, flow_)),
      first_loop_(static_cast<std::uint32_t>(atoms.loops.size())),
      definitions_(function.registers.size()) {
  for (const NaturalLoop& l : forest_.loops)
    atoms_.loops.push_back({.line = function.instrs[flow_.blocks[l.header].first].line,
                            .parent = l.parent == kNoTarget ? caller_.loop : first_loop_ + l.parent});
  for (std::uint32_t i = 0; i < function.instrs.size(); ++i)
    for_each_def(function, function.instrs[i], [&](std::uint32_t r) {
      if (definitions_[r].empty() || definitions_[r].back() != i) definitions_[r].push_back(i);
    });
  solve_headers();
}

// Values that go round in loops are found from the loops' starts, outer loops first: begun elsewhere, the way
// round would come back to a value that is not one of a loop.
void SymbolicValues::solve_headers() {
  if (forest_.loops.empty()) return;
  const std::vector<RegSet> live_out = live_out_of_blocks(function_, flow_);
  for (const NaturalLoop& l : forest_.loops) {
    RegSet live = live_out[l.header];
    for (std::uint32_t i = flow_.blocks[l.header].end; i-- > flow_.blocks[l.header].first;)
      step_back(function_, function_.instrs[i], live);
    live.for_each([&](std::uint32_t r) {
      if (l.defined.contains(r)) at_entry(l.header, r);
    });
  }
}

SymbolicValue SymbolicValues::unknown() {
  return {Sum::of(atoms_.simple(AtomKind::Unknown, 0)), false};
}

std::vector<std::uint32_t> SymbolicValues::loops_around(std::uint32_t instr) const {
  std::vector<std::uint32_t> found;
  const std::uint32_t inner = forest_.innermost[flow_.block_of[instr]];
  std::uint32_t l = inner == kNoTarget ? caller_.loop : first_loop_ + inner;
  for (; l != kNoTarget; l = atoms_.loops[l].parent) found.push_back(l);
  std::reverse(found.begin(), found.end());
  return found;
}

std::uint32_t SymbolicValues::last_definition(std::uint32_t block, std::uint32_t end,
                                              std::uint32_t reg) const {
  const auto& d = definitions_[reg];
  const auto at = std::lower_bound(d.begin(), d.end(), end);
  if (at == d.begin() || *(at - 1) < flow_.blocks[block].first) return kNoTarget;
  return *(at - 1);
}

SymbolicValue SymbolicValues::outside(SymbolicValue v, std::uint32_t block) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Sum::Term& t : v.sum.terms()) {
      const auto at = std::find_if(t.atoms.begin(), t.atoms.end(), [&](AtomId id) {
        const Atom& a = atoms_[id];
        return a.kind == AtomKind::Iteration && a.index >= first_loop_ &&
               a.index < first_loop_ + forest_.loops.size() &&
               !forest_.contains(a.index - first_loop_, block);
      });
      if (at == t.atoms.end()) continue;
      v.sum = v.sum.with(*at, Sum::of(atoms_.simple(AtomKind::Last, atoms_[*at].index)));
      changed = true;
      break;
    }
  }
  return v;
}

SymbolicValue SymbolicValues::before(std::uint32_t instr, std::uint32_t reg) {
  if (depth_ > kDeepest) return unknown();
  const Deeper deeper(depth_);
  const std::uint32_t block = flow_.block_of[instr];
  // Almost every register is written once, before all that read it.
  if (definitions_[reg].size() == 1 && definitions_[reg][0] != instr) {
    const std::uint32_t d = definitions_[reg][0];
    if (function_.instrs[d].guard.kind == Operand::Kind::None) {
      for (std::uint8_t k = 0; k < function_.instrs[d].n_dst; ++k)
        if (function_.instrs[d].dst[k].index == reg && function_.instrs[d].dst[k].kind != Operand::Kind::Sink)
          return outside(result(d, k), block);
      return unknown();  // a matrix's
    }
  }
  const std::uint32_t d = last_definition(block, instr, reg);
  if (d == kNoTarget) return outside(at_entry(block, reg), block);
  return after(d, reg);
}

SymbolicValue SymbolicValues::at_exit(std::uint32_t block, std::uint32_t reg) {
  // As if an instruction behind the block's last one read it.
  const std::uint32_t end = flow_.blocks[block].end;
  const std::uint32_t d = last_definition(block, end, reg);
  if (d == kNoTarget) return at_entry(block, reg);
  return after(d, reg);
}

// What the register holds behind an instruction that writes it.
SymbolicValue SymbolicValues::after(std::uint32_t d, std::uint32_t reg) {
  const Instr& in = function_.instrs[d];
  SymbolicValue v = unknown();
  for (std::uint8_t k = 0; k < in.n_dst; ++k)
    if ((in.dst[k].kind == Operand::Kind::Reg || in.dst[k].kind == Operand::Kind::Pred) &&
        in.dst[k].index == reg)
      v = result(d, k);
  if (in.guard.kind == Operand::Kind::None) return v;
  return choice({before(d, reg), v}, {operand(in.guard, Type::Pred, d).sum});
}

SymbolicValue SymbolicValues::at_entry(std::uint32_t block, std::uint32_t reg) {
  const auto at = entries_.find(key(block, reg));
  if (at != entries_.end()) return resolved(at->second);
  const auto& predecessors = flow_.blocks[block].predecessors;
  if (block == 0 && predecessors.empty()) return unknown();
  if (depth_ > kDeepest) return unknown();
  const Deeper deeper(depth_);
  const std::uint32_t loop = forest_.headed_by[block];
  if (loop == kNoTarget && predecessors.size() == 1) return outside(at_exit(predecessors[0], reg), block);
  const std::uint32_t around = forest_.innermost[block];
  if (loop == kNoTarget && around != kNoTarget) {
    solve_around(around, reg);
    if (const auto solved = entries_.find(key(block, reg)); solved != entries_.end())
      return resolved(solved->second);
  }
  const AtomId pending = atoms_.fresh(
      {.kind = AtomKind::Pending, .index = around == kNoTarget ? caller_.loop : first_loop_ + around});
  entries_[key(block, reg)] = {Sum::of(pending), false};
  SymbolicValue v;
  if (loop != kNoTarget) {
    v = at_loop(loop, reg, pending);
  } else {
    v = from(predecessors, block, reg);
  }
  v = outside(resolved(v), block);
  if (v.sum.mentions(pending)) {  // goes round with another register, or in a cycle that is no natural loop
    Atom f{.kind = AtomKind::Function, .join = JoinKind::Drift, .args = {v.sum.with(pending, Sum(0))}};
    if (around == kNoTarget) f.args.push_back(unknown().sum);
    for (std::uint32_t l = around; l != kNoTarget; l = forest_.loops[l].parent)
      f.args.push_back(Sum::of(atoms_.simple(AtomKind::Iteration, first_loop_ + l)));
    v = {Sum::of(atoms_.fresh(std::move(f))), true};
  }
  atoms_.solve(pending, v.sum);
  entries_[key(block, reg)] = v;
  return v;
}

// What the register holds at the starts of loops around, before a join inside is looked at.
void SymbolicValues::solve_around(std::uint32_t loop, std::uint32_t reg) {
  const NaturalLoop& l = forest_.loops[loop];
  if (l.parent != kNoTarget) solve_around(l.parent, reg);
  if (l.defined.contains(reg) && !entries_.contains(key(l.header, reg))) at_entry(l.header, reg);
}

SymbolicValue SymbolicValues::from(const std::vector<std::uint32_t>& blocks, std::uint32_t join,
                                   std::uint32_t reg) {
  std::vector<SymbolicValue> values;
  for (std::uint32_t b : blocks) {
    if (b != 0 && forest_.dominator[b] == kNoTarget) continue;  // never reached
    SymbolicValue v = outside(at_exit(b, reg), join);
    if (std::find(values.begin(), values.end(), v) == values.end()) values.push_back(std::move(v));
  }
  if (values.empty()) return unknown();
  if (values.size() == 1) return values[0];
  return choice(values, deciders(join));
}

SymbolicValue SymbolicValues::operand(const Operand& o, Type type, std::uint32_t instr) {
  switch (o.kind) {
    case Operand::Kind::Reg:
    case Operand::Kind::Pred:
      return before(instr, o.index);
    case Operand::Kind::Imm:
      return immediate_value(o.value, type);
    case Operand::Kind::Sreg:
      return sreg_value(static_cast<Sreg>(o.index), known_, atoms_);
    case Operand::Kind::Symbol:
      return {Sum::of(atoms_.simple(AtomKind::Variable, o.index)) + Sum(static_cast<std::int64_t>(o.value)),
              false};
    default:
      return unknown();
  }
}

SymbolicValue SymbolicValues::result(std::uint32_t instr, std::uint8_t which) {
  const Key k = key(instr, which);
  const auto at = results_.find(k);
  if (at != results_.end()) return resolved(at->second);
  if (depth_ > kDeepest) return unknown();
  const Deeper deeper(depth_);
  const SymbolicValue v = SymbolicOperations(*this).result(instr, which);
  results_[k] = v;
  return v;
}

SymbolicValue SymbolicValues::address(std::uint32_t instr) {
  const Instr& in = function_.instrs[instr];
  SymbolicValue v = operand(in.address, Type::U64, instr);
  v.sum = v.sum + Sum(in.offset);
  return v;
}

}  // namespace heddle::ptx
