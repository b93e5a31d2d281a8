#include "ptx/analysis/control_flow.h"

#include <algorithm>

#include "ptx/analysis/post_dominators.h"

namespace heddle::ptx {
namespace {

bool ends_block(const Instr& in) {
  return in.op == Op::Bra || in.op == Op::BrxIdx || in.op == Op::Ret || in.op == Op::Exit ||
         in.op == Op::Trap;
}

bool guarded(const Instr& in) {
  return in.guard.kind != Operand::Kind::None;
}

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

// The graph in which lanes meet again. Lanes that leave are dropped from every meeting, so a way out of the
// function (a guarded ret, a jump to a lone ret, a trap) need not be waited for: it is left out where its
// block can go on and reach the end in another way. Otherwise one `return` inside an if would keep the lanes
// on both sides of it apart for the rest of the kernel.
struct MeetingGraph {
  std::vector<std::vector<std::uint32_t>> successors, predecessors;
  std::vector<std::uint8_t> leaves;  // has an edge to the exit
};

// Blocks from which one with `leaves` can be reached.
std::vector<std::uint8_t> reaches_exit(const MeetingGraph& g) {
  std::vector<std::uint8_t> reaches(g.successors.size(), 0);
  std::vector<std::uint32_t> work;
  auto add = [&](std::uint32_t b) {
    if (!reaches[b]) work.push_back(b);
    reaches[b] = 1;
  };
  for (std::uint32_t b = 0; b < g.leaves.size(); ++b)
    if (g.leaves[b]) add(b);
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    for (std::uint32_t p : g.predecessors[b]) add(p);
  }
  return reaches;
}

void fill_predecessors(MeetingGraph& g) {
  g.predecessors.assign(g.successors.size(), {});
  for (std::uint32_t b = 0; b < g.successors.size(); ++b)
    for (std::uint32_t s : g.successors[b]) g.predecessors[s].push_back(b);
}

MeetingGraph make_meeting_graph(const Function& f, const ControlFlow& cf) {
  const std::size_t n = cf.blocks.size();
  auto last = [&](std::uint32_t b) -> const Instr& { return f.instrs[cf.blocks[b].end - 1]; };
  auto leaves = [&](std::uint32_t b) {
    const Op op = last(b).op;
    return cf.blocks[b].successors.empty() || op == Op::Ret || op == Op::Exit || op == Op::Trap ||
           cf.blocks[b].end == f.instrs.size();
  };
  auto only_leaves = [&](std::uint32_t b) {
    const Instr& in = last(b);
    const bool lone = cf.blocks[b].end - cf.blocks[b].first == 1 && (in.op == Op::Ret || in.op == Op::Exit);
    return !guarded(in) && (lone || in.op == Op::Trap);
  };
  // First without the ways out of blocks that can also go on; then those that nothing else leads to the exit
  // get theirs back.
  MeetingGraph g;
  g.successors.resize(n);
  g.leaves.assign(n, 0);
  for (std::uint32_t b = 0; b < n; ++b) {
    for (std::uint32_t s : cf.blocks[b].successors)
      if (!only_leaves(s)) g.successors[b].push_back(s);
    if (g.successors[b].empty()) {
      g.successors[b] = cf.blocks[b].successors;
      g.leaves[b] = leaves(b);
    }
  }
  fill_predecessors(g);
  const std::vector<std::uint8_t> reaches = reaches_exit(g);
  for (std::uint32_t b = 0; b < n; ++b) {
    if (reaches[b]) continue;
    g.successors[b] = cf.blocks[b].successors;
    g.leaves[b] = leaves(b);
  }
  fill_predecessors(g);
  return g;
}

void find_post_dominators(const Function& f, ControlFlow& cf) {
  const MeetingGraph g = make_meeting_graph(f, cf);
  const std::vector<std::uint32_t> found = post_dominators(g.successors, g.leaves);
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b) cf.blocks[b].post_dominator = found[b];
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
      cf.blocks.emplace_back();
      cf.blocks.back().first = i;
    }
    cf.block_of[i] = static_cast<std::uint32_t>(cf.blocks.size() - 1);
  }
  cf.blocks.back().end = static_cast<std::uint32_t>(f.instrs.size());
  connect(f, cf);
  find_post_dominators(f, cf);
  return cf;
}

}  // namespace heddle::ptx
