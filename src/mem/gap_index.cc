#include "mem/gap_index.h"

#include <algorithm>

#include "base/hash.h"

namespace heddle::mem {
namespace {

// As good as random, so that the tree is balanced, and the same on every host.
std::uint64_t priority_of(std::uint64_t begin) {
  Hasher h;
  h.add(begin);
  return h.value();
}

}  // namespace

void GapIndex::refresh(Link at) {
  Node& n = nodes_[at];
  n.largest = std::max({n.bytes, nodes_[n.left].largest, nodes_[n.right].largest});
}

void GapIndex::split(Link at, std::uint64_t begin, Link& left, Link& right) {
  if (at == 0) {
    left = right = 0;
    return;
  }
  Node& n = nodes_[at];
  if (n.begin < begin) {
    left = at;
    split(n.right, begin, n.right, right);
  } else {
    right = at;
    split(n.left, begin, left, n.left);
  }
  refresh(at);
}

GapIndex::Link GapIndex::join(Link left, Link right) {
  if (left == 0 || right == 0) return left + right;
  if (nodes_[left].priority > nodes_[right].priority) {
    nodes_[left].right = join(nodes_[left].right, right);
    refresh(left);
    return left;
  }
  nodes_[right].left = join(left, nodes_[right].left);
  refresh(right);
  return right;
}

void GapIndex::insert(std::uint64_t begin, std::uint64_t bytes) {
  Link added = 0;
  if (unused_.empty()) {
    added = static_cast<Link>(nodes_.size());
    nodes_.emplace_back();
  } else {
    added = unused_.back();
    unused_.pop_back();
  }
  nodes_[added] = {begin, bytes, bytes, priority_of(begin)};
  Link left = 0, right = 0;
  split(root_, begin, left, right);
  root_ = join(join(left, added), right);
}

std::uint64_t GapIndex::erase(std::uint64_t begin) {
  Link left = 0, rest = 0, found = 0, right = 0;
  split(root_, begin, left, rest);
  split(rest, begin + 1, found, right);
  root_ = join(left, right);
  if (found == 0) return 0;
  unused_.push_back(found);
  return nodes_[found].bytes;
}

GapIndex::Gap GapIndex::first(Link at, std::uint64_t bytes, std::uint64_t from) const {
  if (nodes_[at].largest < bytes) return {};  // node 0 has nothing
  const Node& n = nodes_[at];
  if (n.begin >= from) {
    if (const Gap left = first(n.left, bytes, from); left.bytes != 0) return left;
    if (n.bytes >= bytes) return {n.begin, n.bytes};
  }
  return first(n.right, bytes, from);
}

GapIndex::Gap GapIndex::before(std::uint64_t begin) const {
  Link best = 0;
  for (Link at = root_; at != 0;) {
    const Node& n = nodes_[at];
    if (n.begin < begin) best = at;
    at = n.begin < begin ? n.right : n.left;
  }
  return {nodes_[best].begin, nodes_[best].bytes};
}

}  // namespace heddle::mem
