#include "workloads/mum/suffix_tree.h"

#include <algorithm>
#include <queue>

namespace heddle::workloads::mum {
namespace {

std::size_t index_of(char base) {
  return std::string_view("ACGT$").find(base);
}

}  // namespace

SuffixTree::SuffixTree(std::string_view bases) : text_("s") {
  text_ += bases;
  text_ += '$';
  nodes_[root].link = root;
  for (std::size_t i = 1; i < text_.size(); ++i) extend(static_cast<std::int32_t>(i));
  measure();
}

std::int32_t SuffixTree::add(std::int32_t begin, std::int32_t end, std::int32_t parent) {
  nodes_.push_back({.begin = begin, .end = end, .parent = parent});
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

std::int32_t& SuffixTree::child(std::int32_t node, std::int32_t position) {
  return nodes_[node].children[index_of(text_[position])];
}

// The node that was split last waits for the one that its suffix ends in.
void SuffixTree::link_to(std::int32_t node) {
  if (waits_for_link_ != none) nodes_[waits_for_link_].link = node;
  waits_for_link_ = none;
}

// Makes sure that the longest open suffix goes on with the base at `position`; whether it did already.
bool SuffixTree::insert(std::int32_t position) {
  const auto last = static_cast<std::int32_t>(text_.size()) - 1;
  if (along_ == 0) edge_ = position;
  const std::int32_t next = child(at_, edge_);
  if (next == none) {
    const std::int32_t leaf = add(position, last, at_);
    child(at_, edge_) = leaf;
    link_to(at_);
    return false;
  }
  const std::int32_t middle = nodes_[next].begin + along_;
  if (text_[middle] == text_[position]) {
    link_to(at_);
    return true;
  }
  const std::int32_t split = add(nodes_[next].begin, middle - 1, at_);
  const std::int32_t leaf = add(position, last, split);
  child(at_, edge_) = split;
  nodes_[next].begin = middle;
  nodes_[next].parent = split;
  child(split, middle) = next;
  child(split, position) = leaf;
  nodes_[split].link = root;
  link_to(split);
  waits_for_link_ = split;
  return false;
}

void SuffixTree::extend(std::int32_t position) {
  ++open_;
  waits_for_link_ = none;
  while (open_ > 0) {
    // Down over whole edges, whose bases are known to be there.
    if (along_ > 0) {
      const std::int32_t next = child(at_, edge_);
      const std::int32_t length = std::min(nodes_[next].end, position) - nodes_[next].begin + 1;
      if (along_ >= length) {
        edge_ += length;
        along_ -= length;
        at_ = next;
        continue;
      }
    }
    if (insert(position)) {
      ++along_;
      break;
    }
    --open_;
    if (at_ == root) {
      if (along_ > 0) {
        --along_;
        edge_ = position - open_ + 1;
      }
    } else {
      at_ = nodes_[at_].link;
    }
  }
}

// Parents before children: a split node comes after the child that it got.
void SuffixTree::measure() {
  std::vector<std::int32_t> ahead{root};
  while (!ahead.empty()) {
    const std::int32_t node = ahead.back();
    ahead.pop_back();
    for (const std::int32_t c : nodes_[node].children) {
      if (c == none) continue;
      nodes_[c].depth = nodes_[node].depth + nodes_[c].end - nodes_[c].begin + 1;
      ahead.push_back(c);
    }
  }
}

std::vector<std::int32_t> numbered(const SuffixTree& tree) {
  constexpr int upper_levels = 16, subtree_levels = 4;
  struct Place {
    std::int32_t node;
    int level;
  };
  std::vector<std::int32_t> numbers(tree.nodes().size());
  std::queue<Place> ahead;
  std::int32_t count = 0;
  // Numbers what is below `node`, `levels` more; what is further below comes later.
  const auto number_below = [&](const auto& self, std::int32_t node, int levels, int level) -> void {
    for (const std::int32_t c : tree.nodes()[node].children) {
      if (c == SuffixTree::none) continue;
      if (levels == 0) {
        ahead.push({c, level});
        continue;
      }
      numbers[c] = ++count;
      self(self, c, levels - 1, level);
    }
  };
  ahead.push({SuffixTree::root, 0});
  while (!ahead.empty()) {
    const Place p = ahead.front();
    ahead.pop();
    numbers[p.node] = ++count;
    if (p.level < upper_levels)
      number_below(number_below, p.node, 0, p.level + 1);
    else
      number_below(number_below, p.node, subtree_levels, p.level + subtree_levels + 1);
  }
  return numbers;
}

}  // namespace heddle::workloads::mum
