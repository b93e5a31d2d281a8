// The suffix tree of a text, by Ukkonen's algorithm.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::workloads::mum {

class SuffixTree {
 public:
  static constexpr std::int32_t none = 0, root = 1;
  struct Node {
    std::int32_t begin = 0, end = -1;  // first and last position of the edge that leads here
    std::int32_t parent = none;
    std::int32_t link = none;  // to the node of the same path without its first base; leaves have none
    std::int32_t depth = 0;    // bases from the root
    std::array<std::int32_t, 5> children{};  // A C G T $
  };

  // Bases A C G T; positions count from 1, a '$' is put behind the last.
  explicit SuffixTree(std::string_view bases);

  const std::string& text() const { return text_; }
  const std::vector<Node>& nodes() const { return nodes_; }  // from 1; 0 is none

 private:
  std::int32_t add(std::int32_t begin, std::int32_t end, std::int32_t parent);
  std::int32_t& child(std::int32_t node, std::int32_t position);
  void link_to(std::int32_t node);
  bool insert(std::int32_t position);
  void extend(std::int32_t position);
  void measure();

  std::string text_;
  std::vector<Node> nodes_{2};
  // Where the longest suffix ends that has no leaf yet.
  std::int32_t at_ = root, edge_ = 0, along_ = 0, open_ = 0;
  std::int32_t waits_for_link_ = none;
};

// Numbers from 1 as MUMmerGPU gives them: by levels down to the 16th, below by subtrees of five levels.
std::vector<std::int32_t> numbered(const SuffixTree& tree);

}  // namespace heddle::workloads::mum
