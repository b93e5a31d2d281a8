#include "ptx/analysis/cta_uniformity.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

bool differs_by_thread(Sreg r) {
  switch (r) {
    case Sreg::TidX:
    case Sreg::TidY:
    case Sreg::TidZ:
    case Sreg::Laneid:
    case Sreg::LanemaskEq:
    case Sreg::LanemaskLe:
    case Sreg::LanemaskLt:
    case Sreg::LanemaskGe:
    case Sreg::LanemaskGt:
    case Sreg::Warpid:
      return true;
    default:
      return r >= kFirstDynamicSreg;
  }
}

bool may_leave(const Instr& last, bool at_end) {
  const bool returns = last.op == Op::Ret || last.op == Op::Exit;
  const bool jumps = last.guard.kind == Operand::Kind::None &&
                     (last.op == Op::Bra || last.op == Op::BrxIdx || last.op == Op::Trap);
  return returns || (at_end && !jumps);
}

}  // namespace

CtaUniformity::CtaUniformity(const Module& module, const Function& function, const ControlFlow& flow,
                             Leaving leaving)
    : module_(module),
      function_(function),
      flow_(flow),
      divergent_in_(flow.blocks.size(), RegSet(function.registers.size())) {
  find_post_dominators();
  divided_.assign(flow_.blocks.size(), 0);
  spread(divided_);
  for (bool changed = true; changed;) {
    std::vector<std::uint8_t> divided(flow_.blocks.size(), 0);
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
      if (parts(b) && (leaving == Leaving::Divides || !some_leave(b)))
        for (const std::uint32_t in : region(b).blocks) divided[in] = 1;
    changed = spread(divided);
  }
  for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
    if (parts(b)) partings_.push_back(b);
}

// Immediate ones, by the algorithm of Cooper, Harvey and Kennedy on the reversed graph.
void CtaUniformity::find_post_dominators() {
  const auto n = static_cast<std::uint32_t>(flow_.blocks.size());
  std::vector<std::uint8_t> leaves(n, 0);
  for (std::uint32_t b = 0; b < n; ++b)
    leaves[b] =
        may_leave(function_.instrs[flow_.blocks[b].end - 1], flow_.blocks[b].end == function_.instrs.size());
  // Depth-first from the exit against the edges; `order` ends with the exit itself.
  std::vector<std::uint32_t> order, number(n + 1, kNoTarget);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  std::vector<std::uint32_t> ends;
  for (std::uint32_t b = 0; b < n; ++b)
    if (leaves[b]) ends.push_back(b);
  const auto before = [&](std::uint32_t b) -> const std::vector<std::uint32_t>& {
    return b == n ? ends : flow_.blocks[b].predecessors;
  };
  std::vector<std::uint8_t> seen(n + 1, 0);
  seen[n] = 1;
  stack.emplace_back(n, 0);
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    if (next < before(b).size()) {
      const std::uint32_t p = before(b)[next++];
      if (!seen[p]) {
        seen[p] = 1;
        stack.emplace_back(p, 0);
      }
    } else {
      number[b] = static_cast<std::uint32_t>(order.size());
      order.push_back(b);
      stack.pop_back();
    }
  }
  post_dominator_.assign(n + 1, kNoTarget);
  post_dominator_[n] = n;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = post_dominator_[a];
      while (number[b] < number[a]) b = post_dominator_[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin() + 1; it != order.rend(); ++it) {
      std::uint32_t now = leaves[*it] ? n : kNoTarget;
      for (const std::uint32_t s : flow_.blocks[*it].successors)
        if (post_dominator_[s] != kNoTarget) now = now == kNoTarget ? s : meet(now, s);
      changed |= post_dominator_[*it] != now;
      post_dominator_[*it] = now;
    }
  }
}

bool CtaUniformity::parts(std::uint32_t block) const {
  const Block& b = flow_.blocks[block];
  const Instr& last = function_.instrs[b.end - 1];
  if (last.op != Op::Bra && last.op != Op::Ret && last.op != Op::Exit && last.op != Op::BrxIdx) return false;
  RegSet divergent = divergent_in_[block];
  // Where only some threads come along, those that do still go the same way by a value that they all had
  // before.
  for (std::uint32_t i = b.first; i + 1 < b.end; ++i)
    step(function_.instrs[i], divided_[block] != 0, divergent);
  bool parted = false;
  for_each_use(function_, last, [&](std::uint32_t r) { parted |= divergent.contains(r); });
  return parted;
}

// At the end of the block, by an instruction of their own or a block that does nothing else.
bool CtaUniformity::some_leave(std::uint32_t block) const {
  const auto leaves = [&](std::uint32_t at) {
    return function_.instrs[at].op == Op::Ret || function_.instrs[at].op == Op::Exit;
  };
  const Block& b = flow_.blocks[block];
  return leaves(b.end - 1) || std::any_of(b.successors.begin(), b.successors.end(),
                                          [&](std::uint32_t s) { return leaves(flow_.blocks[s].first); });
}

CtaUniformity::Region CtaUniformity::region(std::uint32_t block) const {
  const auto exit = static_cast<std::uint32_t>(flow_.blocks.size());
  const std::uint32_t end = post_dominator_[block];
  Region r;
  r.leaves = end == exit || end == kNoTarget;
  std::vector<std::uint8_t> seen(flow_.blocks.size(), 0);
  const auto add = [&](const std::vector<std::uint32_t>& blocks) {
    for (const std::uint32_t b : blocks) {
      if (b == end || seen[b]) continue;
      seen[b] = 1;
      r.blocks.push_back(b);
    }
  };
  add(flow_.blocks[block].successors);
  for (std::size_t i = 0; i < r.blocks.size(); ++i) add(flow_.blocks[r.blocks[i]].successors);
  return r;
}

bool CtaUniformity::uniform_address(std::uint32_t at) const {
  const Operand& address = function_.instrs[at].address;
  if (address.kind != Operand::Kind::Reg) return true;
  // Whoever comes to `at` has come through its block: that others have not does not matter.
  const std::uint32_t block = flow_.block_of[at];
  RegSet divergent = divergent_in_[block];
  for (std::uint32_t i = flow_.blocks[block].first; i < at; ++i) step(function_.instrs[i], false, divergent);
  return !divergent.contains(address.index);
}

bool CtaUniformity::makes_divergent(const Instr& in, const RegSet& values) const {
  // All threads get the same, unless there is a number of them: then others may not come.
  if (in.op == Op::BarRed) return in.src[1].kind != Operand::Kind::None;
  bool divergent = false;
  for_each_use(function_, in, [&](std::uint32_t r) { divergent |= values.contains(r); });
  for (std::uint8_t i = 0; i < in.n_src; ++i)
    divergent |=
        in.src[i].kind == Operand::Kind::Sreg && differs_by_thread(static_cast<Sreg>(in.src[i].index));
  if (divergent || in.carry_in) return true;
  switch (in.op) {
    case Op::Ld: {
      if (in.space == Space::Local || in.order != MemOrder::Weak) return true;
      const bool symbol = in.address.kind == Operand::Kind::Symbol;
      return in.space == Space::Param &&
             !(function_.entry && symbol && module_.symbols[in.address.index].kind == Symbol::Kind::Formal);
    }
    case Op::Cvta:
      return in.space == Space::Local;  // the same address of different memory
    case Op::Atom:
    case Op::Tex:
    case Op::Tld4:
    case Op::Suld:
    case Op::WmmaLoad:
    case Op::LoadMatrix:
    case Op::StoreMatrix:
    case Op::MoveMatrix:
    case Op::Mma:
    case Op::Mbarrier:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Activemask:
    case Op::Redux:
    case Op::Elect:
    case Op::Trap:
      return true;
    default:
      return false;
  }
}

void CtaUniformity::step(const Instr& in, bool divided, RegSet& divergent) const {
  const bool differs = divided || makes_divergent(in, divergent);
  const bool always = in.guard.kind == Operand::Kind::None;
  for_each_def(function_, in, [&](std::uint32_t r) {
    if (differs)
      divergent.insert(r);
    else if (always)
      divergent.erase(r);
  });
}

// Along the edges, to where values come from more than one side.
bool CtaUniformity::spread(const std::vector<std::uint8_t>& divided) {
  const bool more = divided != divided_;
  divided_ = divided;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      RegSet divergent = divergent_in_[b];
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i)
        step(function_.instrs[i], divided[b] != 0, divergent);
      for (const std::uint32_t s : flow_.blocks[b].successors) changed |= divergent_in_[s].add(divergent);
    }
  }
  return more;
}

}  // namespace heddle::ptx
