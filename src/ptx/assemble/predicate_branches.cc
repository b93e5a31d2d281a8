#include "ptx/assemble/predicate_branches.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/cta_uniformity.h"
#include "ptx/analysis/liveness.h"
#include "ptx/assemble/machine_cost.h"
#include "ptx/assemble/rewrite.h"
#include "ptx/assemble/schedule.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kMost = 8, kMostUniform = 6, kMostWithLoad = 20;

bool is_jump(const Instr& in) {
  return in.op == Op::Bra && in.guard.kind == Operand::Kind::None;
}

// One or two bodies behind a branch, one behind the other in the text.
struct Choice {
  std::uint32_t branch = 0, jump = kNoTarget;  // instructions: `@p bra body; bra other; body:` has both
  std::uint32_t body = 0, other = kNoTarget;   // blocks
  Operand guard;                               // of the first one
};

class Predication {
 public:
  Predication(const Module& module, Function& f)
      : module_(module), f_(f), flow_(build_control_flow(f)), gone_(f.instrs.size(), 0) {}

  bool run() {
    std::vector<Choice> choices;
    for (std::uint32_t b = 0; b + 1 < flow_.blocks.size(); ++b)
      if (const auto c = find(b)) choices.push_back(*c);
    if (choices.empty()) return false;
    const std::vector<RegSet> live = live_out_of_blocks(f_, flow_);
    for (const Choice& c : choices) guard(c, live);
    drop_instructions(f_, gone_);
    return true;
  }

 private:
  const Instr& last(std::uint32_t block) const { return f_.instrs[flow_.blocks[block].end - 1]; }
  bool only_from(std::uint32_t block, std::uint32_t from) const {
    return flow_.blocks[block].predecessors == std::vector<std::uint32_t>{from};
  }
  std::uint32_t only_successor(std::uint32_t block) const {
    const auto& s = flow_.blocks[block].successors;
    return s.size() == 1 ? s[0] : kNoTarget;
  }

  bool is_lone_jump(std::uint32_t block) const {
    return flow_.blocks[block].end - flow_.blocks[block].first == 1 && is_jump(last(block));
  }

  std::optional<Choice> find(std::uint32_t b) {
    const Instr& branch = last(b);
    if (branch.op != Op::Bra || branch.guard.kind != Operand::Kind::Pred) return std::nullopt;
    if (branch.target >= f_.instrs.size()) return std::nullopt;
    Choice c{.branch = flow_.blocks[b].end - 1, .body = b + 1, .guard = branch.guard};
    std::uint32_t to_other = branch.target, from = b;
    if (flow_.block_of[to_other] == b + 2 && is_lone_jump(b + 1) && only_from(b + 1, b)) {
      c.jump = flow_.blocks[b + 1].first;
      c.body = b + 2;
      from = b + 1;
      to_other = last(b + 1).target;
      if (to_other >= f_.instrs.size()) return std::nullopt;
    } else {
      c.guard.negated = !c.guard.negated;
    }
    const std::uint32_t other = flow_.block_of[to_other], p = branch.guard.index;
    if (other != c.body + 1 || leaves(to_other) || !only_from(c.body, b) || !fits(c.body, b, p))
      return std::nullopt;
    const std::uint32_t next = only_successor(c.body);
    if (next == other) return c;
    // A second body, between the first and where they meet.
    if (!only_from(other, from) || next != other + 1 || only_successor(other) != next || !fits(other, b, p))
      return std::nullopt;
    c.other = other;
    return c;
  }

  // The machine has an exit that can be guarded.
  bool leaves(std::uint32_t at) const {
    const Instr& in = f_.instrs[at];
    return (in.op == Op::Ret || in.op == Op::Exit) && in.guard.kind == Operand::Kind::None;
  }

  bool can_be_guarded(const Instr& in, std::uint32_t p) const {
    bool writes_guard = false;
    for_each_def(f_, in, [&](std::uint32_t r) { writes_guard |= r == p; });
    return !writes_guard && in.guard.kind == Operand::Kind::None && !keeps_its_place(in) &&
           !is_collective(in.op) && in.op != Op::Atom && in.op != Op::Red && in.matrix == kNoTarget &&
           !in.carry_in && !in.carry_out;
  }

  bool fits(std::uint32_t block, std::uint32_t from, std::uint32_t p) {
    const Block& b = flow_.blocks[block];
    std::uint32_t cost = 0;
    bool loads = false;
    for (std::uint32_t i = b.first; i < b.end; ++i) {
      const Instr& in = f_.instrs[i];
      const bool jump = i + 1 == b.end && is_jump(in);
      if (!jump && !can_be_guarded(in, p)) return false;
      cost += jump ? 1 : machine_instructions(in);
      loads |= in.op == Op::Ld && in.space != Space::Shared && in.space != Space::Param &&
               in.space != Space::Const;
      if (cost > kMostWithLoad) return false;
    }
    return loads || cost <= kMostUniform || (cost <= kMost && divides(from));
  }

  // Whether threads may go different ways at the end of a block.
  bool divides(std::uint32_t block) {
    if (!uniformity_) uniformity_.emplace(module_, f_, flow_);
    return std::binary_search(uniformity_->partings().begin(), uniformity_->partings().end(), block);
  }

  void guard(const Choice& c, const std::vector<RegSet>& live) {
    gone_[c.branch] = 1;
    if (c.jump != kNoTarget) gone_[c.jump] = 1;
    if (c.other == kNoTarget) {
      guard_block(c.body, c.guard, live[c.body]);
      return;
    }
    // What lanes on the other way still need of the first body's registers.
    RegSet needed = live[c.other];
    for (std::uint32_t i = flow_.blocks[c.other].end; i-- > flow_.blocks[c.other].first;)
      step_back(f_, f_.instrs[i], needed);
    Operand otherwise = c.guard;
    otherwise.negated = !otherwise.negated;
    guard_block(c.body, c.guard, needed);
    guard_block(c.other, otherwise, live[c.other]);
  }

  void guard_block(std::uint32_t block, const Operand& p, const RegSet& needed) {
    for (std::uint32_t i = flow_.blocks[block].first; i < flow_.blocks[block].end; ++i) {
      Instr& in = f_.instrs[i];
      if (in.op == Op::Bra) {
        gone_[i] = 1;
        continue;
      }
      in.guard = p;
      in.fresh = true;
      for_each_def(f_, in, [&](std::uint32_t r) { in.fresh &= !needed.contains(r); });
    }
  }

  const Module& module_;
  Function& f_;
  const ControlFlow flow_;
  std::vector<std::uint8_t> gone_;
  std::optional<CtaUniformity> uniformity_;
};

}  // namespace

bool predicate_branches(const Module& module, Function& f) {
  if (f.instrs.empty()) return false;
  return Predication(module, f).run();
}

}  // namespace heddle::ptx
