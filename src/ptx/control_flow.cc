#include "ptx/control_flow.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

bool ends_block(const Instr& in) {
  return in.op == Op::Bra || in.op == Op::BrxIdx || in.op == Op::Ret || in.op == Op::Exit ||
         in.op == Op::Trap;
}

bool guarded(const Instr& in) { return in.guard.kind != Operand::Kind::None; }

std::vector<std::uint8_t> find_leaders(const Function& f) {
  std::vector<std::uint8_t> leader(f.instrs.size() + 1, 0);
  leader[0] = 1;
  for (std::size_t i = 0; i < f.instrs.size(); ++i) {
    const Instr& in = f.instrs[i];
    if (!ends_block(in)) continue;
    leader[i + 1] = 1;
    if (in.op == Op::Bra) leader[in.target] = 1;
    if (in.op == Op::BrxIdx)
      for (std::uint32_t t : f.branch_tables[in.target]) leader[t] = 1;
  }
  return leader;
}

void connect(const Function& f, ControlFlow& cf) {
  const auto n = static_cast<std::uint32_t>(f.instrs.size());
  auto edge = [&](std::uint32_t from, std::uint32_t to_instr) {
    if (to_instr >= n) return;  // falls off the end: a return
    auto& s = cf.blocks[from].successors;
    const std::uint32_t to = cf.block_of[to_instr];
    if (std::find(s.begin(), s.end(), to) == s.end()) s.push_back(to);
  };
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b) {
    const Instr& last = f.instrs[cf.blocks[b].end - 1];
    if (!ends_block(last) || guarded(last)) edge(b, cf.blocks[b].end);
    if (last.op == Op::Bra) edge(b, last.target);
    if (last.op == Op::BrxIdx)
      for (std::uint32_t t : f.branch_tables[last.target]) edge(b, t);
  }
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b)
    for (std::uint32_t s : cf.blocks[b].successors) cf.blocks[s].predecessors.push_back(b);
}

// Blocks in an order in which, following edges backwards from the exit, a block comes after those it
// reaches (post-order of the reversed graph, reversed). Blocks that never reach the exit are left out.
std::vector<std::uint32_t> reverse_order_from_exit(const Function& f, const ControlFlow& cf) {
  std::vector<std::uint8_t> seen(cf.blocks.size(), 0);
  std::vector<std::uint32_t> post;
  struct Step { std::uint32_t block; std::size_t next; };
  std::vector<Step> stack;
  auto visit = [&](std::uint32_t root) {
    if (seen[root]) return;
    seen[root] = 1;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Step& top = stack.back();
      const auto& preds = cf.blocks[top.block].predecessors;
      if (top.next < preds.size()) {
        const std::uint32_t p = preds[top.next++];
        if (!seen[p]) {
          seen[p] = 1;
          stack.push_back({p, 0});
        }
      } else {
        post.push_back(top.block);
        stack.pop_back();
      }
    }
  };
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b) {
    const Block& block = cf.blocks[b];
    const Instr& last = f.instrs[block.end - 1];
    const bool leaves = block.successors.empty() || last.op == Op::Ret || last.op == Op::Exit ||
                        last.op == Op::Trap || block.end == f.instrs.size();
    if (leaves) visit(b);
  }
  std::reverse(post.begin(), post.end());
  return post;
}

// Cooper, Harvey and Kennedy's iteration on the reversed graph; the virtual exit is node `exit`.
void find_post_dominators(const Function& f, ControlFlow& cf) {
  const std::vector<std::uint32_t> order = reverse_order_from_exit(f, cf);
  const auto exit = static_cast<std::uint32_t>(cf.blocks.size());
  constexpr std::uint32_t kUnknown = kNoTarget;
  std::vector<std::uint32_t> number(cf.blocks.size() + 1, 0);  // larger: farther from the exit
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i + 1;
  std::vector<std::uint32_t> idom(cf.blocks.size() + 1, kUnknown);
  idom[exit] = exit;

  auto intersect = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (number[a] > number[b]) a = idom[a];
      while (number[b] > number[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b : order) {
      const Block& block = cf.blocks[b];
      const Instr& last = f.instrs[block.end - 1];
      const bool leaves = block.successors.empty() || last.op == Op::Ret || last.op == Op::Exit ||
                          last.op == Op::Trap || block.end == f.instrs.size();
      std::uint32_t best = leaves ? exit : kUnknown;
      for (std::uint32_t s : block.successors) {
        if (idom[s] == kUnknown) continue;
        best = best == kUnknown ? s : intersect(s, best);
      }
      if (best != kUnknown && idom[b] != best) {
        idom[b] = best;
        changed = true;
      }
    }
  }
  for (std::uint32_t b = 0; b < exit; ++b)
    cf.blocks[b].post_dominator = idom[b] == exit || idom[b] == kUnknown ? kNoTarget : idom[b];
}

}  // namespace

std::uint32_t ControlFlow::reconvergence(std::uint32_t block) const {
  const std::uint32_t p = blocks[block].post_dominator;
  return p == kNoTarget ? kNoTarget : blocks[p].first;
}

ControlFlow build_control_flow(const Function& f) {
  ControlFlow cf;
  if (f.instrs.empty()) return cf;
  const std::vector<std::uint8_t> leader = find_leaders(f);
  cf.block_of.resize(f.instrs.size());
  for (std::uint32_t i = 0; i < f.instrs.size(); ++i) {
    if (leader[i]) {
      if (!cf.blocks.empty()) cf.blocks.back().end = i;
      cf.blocks.push_back({.first = i});
    }
    cf.block_of[i] = static_cast<std::uint32_t>(cf.blocks.size() - 1);
  }
  cf.blocks.back().end = static_cast<std::uint32_t>(f.instrs.size());
  connect(f, cf);
  find_post_dominators(f, cf);
  return cf;
}

}  // namespace heddle::ptx
