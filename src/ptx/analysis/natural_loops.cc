#include "ptx/analysis/natural_loops.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

std::vector<std::uint32_t> reverse_postorder(const ControlFlow& flow) {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> seen(flow.blocks.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;  // block, next successor
  if (flow.blocks.empty()) return order;
  stack.emplace_back(0, 0);
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    if (next == flow.blocks[b].successors.size()) {
      order.push_back(b);
      stack.pop_back();
      continue;
    }
    const std::uint32_t s = flow.blocks[b].successors[next++];
    if (seen[s]) continue;
    seen[s] = 1;
    stack.emplace_back(s, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Cooper, Harvey and Kennedy's algorithm.
std::vector<std::uint32_t> find_dominators(const ControlFlow& flow, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> place(flow.blocks.size(), kNoTarget), dominator(flow.blocks.size(), kNoTarget);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  if (order.empty()) return dominator;
  dominator[order[0]] = order[0];
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (place[a] > place[b]) a = dominator[a];
      while (place[b] > place[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      std::uint32_t found = kNoTarget;
      for (std::uint32_t p : flow.blocks[order[i]].predecessors) {
        if (place[p] == kNoTarget || dominator[p] == kNoTarget) continue;
        found = found == kNoTarget ? p : meet(found, p);
      }
      changed |= dominator[order[i]] != found;
      dominator[order[i]] = found;
    }
  }
  dominator[order[0]] = kNoTarget;
  return dominator;
}

bool dominates(const std::vector<std::uint32_t>& dominator, std::uint32_t a, std::uint32_t b) {
  for (; b != kNoTarget; b = dominator[b])
    if (a == b) return true;
  return false;
}

void fill(const Function& f, const ControlFlow& flow, NaturalLoop& loop) {
  std::vector<std::uint32_t> work = loop.latches;
  loop.blocks = {loop.header};
  std::vector<std::uint8_t> in(flow.blocks.size(), 0);
  in[loop.header] = 1;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    if (in[b]) continue;
    in[b] = 1;
    loop.blocks.push_back(b);
    for (std::uint32_t p : flow.blocks[b].predecessors) work.push_back(p);
  }
  std::sort(loop.blocks.begin(), loop.blocks.end());
  for (std::uint32_t b : loop.blocks)
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i)
      for_each_def(f, f.instrs[i], [&](std::uint32_t r) { loop.defined.insert(r); });
}

}  // namespace

bool LoopForest::contains(std::uint32_t loop, std::uint32_t block) const {
  const auto& b = loops[loop].blocks;
  return std::binary_search(b.begin(), b.end(), block);
}

LoopForest find_loops(const Function& f, const ControlFlow& flow) {
  LoopForest forest;
  const std::vector<std::uint32_t> order = reverse_postorder(flow);
  forest.dominator = find_dominators(flow, order);
  forest.innermost.assign(flow.blocks.size(), kNoTarget);
  forest.headed_by.assign(flow.blocks.size(), kNoTarget);
  for (std::uint32_t header : order) {
    NaturalLoop loop(f.registers.size());
    loop.header = header;
    for (std::uint32_t p : flow.blocks[header].predecessors)
      if (dominates(forest.dominator, header, p)) loop.latches.push_back(p);
    if (loop.latches.empty()) continue;
    fill(f, flow, loop);
    // Headers of outer loops come first, so the innermost known loop of this header is the parent.
    loop.parent = forest.innermost[header];
    const auto index = static_cast<std::uint32_t>(forest.loops.size());
    forest.headed_by[header] = index;
    for (std::uint32_t b : loop.blocks) forest.innermost[b] = index;
    forest.loops.push_back(std::move(loop));
  }
  return forest;
}

}  // namespace heddle::ptx
