// Free ranges of addresses, and the lowest of them that is large enough: what first fit asks for.
//
// A search tree by address (a treap) whose nodes know the largest range below them; every operation takes
// time in the logarithm of the number of ranges.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::mem {

class GapIndex {
 public:
  struct Gap {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;  // 0: there is none
  };

  // No range begins there yet; `bytes` is not 0.
  void insert(std::uint64_t begin, std::uint64_t bytes);
  // The size of the range that begins there; 0: none does, and nothing is removed.
  std::uint64_t erase(std::uint64_t begin);
  // The lowest range from `from` on that has at least so many bytes, one or more.
  Gap first(std::uint64_t bytes, std::uint64_t from = 0) const { return first(root_, bytes, from); }
  // The last one that begins before `begin`.
  Gap before(std::uint64_t begin) const;

 private:
  using Link = std::uint32_t;  // in nodes_; 0: none
  struct Node {
    std::uint64_t begin = 0, bytes = 0, largest = 0;
    std::uint64_t priority = 0;
    Link left = 0, right = 0;
  };
  Gap first(Link at, std::uint64_t bytes, std::uint64_t from) const;
  void refresh(Link at);
  // Those before `begin` and the others.
  void split(Link at, std::uint64_t begin, Link& left, Link& right);
  Link join(Link left, Link right);

  std::vector<Node> nodes_ = {Node{}};
  std::vector<Link> unused_;
  Link root_ = 0;
};

}  // namespace heddle::mem
