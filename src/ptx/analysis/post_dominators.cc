#include "ptx/analysis/post_dominators.h"

#include <algorithm>

#include "ptx/ir/instr.h"

namespace heddle::ptx {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

// Nodes in an order in which, following edges backwards from the end, a node comes after those it reaches
// (post-order of the reversed graph, reversed). Nodes that never reach the end are left out.
std::vector<std::uint32_t> reverse_order_from_end(const Edges& predecessors,
                                                  const std::vector<std::uint8_t>& leaves) {
  std::vector<std::uint8_t> seen(predecessors.size(), 0);
  std::vector<std::uint32_t> post;
  struct Step {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<Step> stack;
  auto visit = [&](std::uint32_t root) {
    if (seen[root]) return;
    seen[root] = 1;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Step& top = stack.back();
      const auto& preds = predecessors[top.node];
      if (top.next < preds.size()) {
        const std::uint32_t p = preds[top.next++];
        if (!seen[p]) {
          seen[p] = 1;
          stack.push_back({p, 0});
        }
      } else {
        post.push_back(top.node);
        stack.pop_back();
      }
    }
  };
  for (std::uint32_t n = 0; n < leaves.size(); ++n)
    if (leaves[n]) visit(n);
  std::reverse(post.begin(), post.end());
  return post;
}

}  // namespace

// Cooper, Harvey and Kennedy's iteration on the reversed graph; the end is node `end`.
std::vector<std::uint32_t> post_dominators(const Edges& successors, const std::vector<std::uint8_t>& leaves) {
  Edges predecessors(successors.size());
  for (std::uint32_t n = 0; n < successors.size(); ++n)
    for (std::uint32_t s : successors[n]) predecessors[s].push_back(n);
  const std::vector<std::uint32_t> order = reverse_order_from_end(predecessors, leaves);
  const auto end = static_cast<std::uint32_t>(successors.size());
  std::vector<std::uint32_t> number(successors.size() + 1, 0);  // larger: farther from the end
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i + 1;
  std::vector<std::uint32_t> found(successors.size() + 1, kNoTarget);
  found[end] = end;

  auto intersect = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (number[a] > number[b]) a = found[a];
      while (number[b] > number[a]) b = found[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t n : order) {
      std::uint32_t best = leaves[n] ? end : kNoTarget;
      for (std::uint32_t s : successors[n]) {
        if (found[s] == kNoTarget) continue;
        best = best == kNoTarget ? s : intersect(s, best);
      }
      if (best != kNoTarget && found[n] != best) {
        found[n] = best;
        changed = true;
      }
    }
  }
  found.pop_back();
  std::replace(found.begin(), found.end(), end, kNoTarget);
  return found;
}

}  // namespace heddle::ptx
