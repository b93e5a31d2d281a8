// b+tree: Rodinia's point and range queries on a B+ tree of order 256. CTAs share the upper nodes and little
// else.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::int32_t order = 256;
constexpr std::int32_t leaf_fill = 192;   // keys per leaf: between half full, as after splits, and full
constexpr std::int32_t inner_fill = 192;  // children per inner node
constexpr std::int32_t no_key = std::numeric_limits<std::int32_t>::max();

struct Node {  // as in b+tree.cu
  std::int32_t location = 0;
  std::array<std::int32_t, order + 1> indices{};
  std::array<std::int32_t, order + 1> keys{};
  std::int32_t is_leaf = 0;
  std::int32_t num_keys = 0;
};

struct Size {
  std::int32_t records, queries, ranges, longest_range;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {40'000, 160, 80, 100};  // more than one inner node
    case Scale::Small:
      return {100'000, 2'500, 1'500, 1000};
    case Scale::Paper:
      return {1'000'000, 10'000, 6'000, 3000};  // the sizes of Rodinia's own command file
  }
  return {};
}

struct Tree {
  std::vector<Node> nodes;  // nodes[0] is the root
  std::int32_t height = 0;  // levels above the leaves
};

// Groups `count` items of the level below into nodes; `first_key(i)` is an item's smallest key.
template <class FirstKey, class Index>
std::vector<Node> group(std::int32_t count, std::int32_t fill, bool leaf, FirstKey first_key, Index index) {
  std::vector<Node> level;
  for (std::int32_t at = 0; at < count; at += fill) {
    Node node;
    node.is_leaf = leaf;
    node.num_keys = std::min(fill, count - at);
    node.keys.fill(no_key);
    for (std::int32_t i = 0; i < node.num_keys; ++i) {
      node.keys[i] = first_key(at + i);
      node.indices[i] = index(at + i);
    }
    level.push_back(node);
  }
  return level;
}

// Bulk loading, bottom up; then the levels are laid out from the root down, as a breadth-first walk finds
// them.
Tree build(const std::vector<std::int32_t>& keys) {
  std::vector<std::vector<Node>> levels;
  levels.push_back(group(
      std::int32_t(keys.size()), leaf_fill, true, [&](std::int32_t i) { return keys[i]; },
      [](std::int32_t i) { return i; }));
  while (levels.back().size() > 1) {
    const std::vector<Node>& below = levels.back();
    levels.push_back(group(
        std::int32_t(below.size()), inner_fill, false, [&](std::int32_t i) { return below[i].keys[0]; },
        [](std::int32_t i) { return i; }));
  }
  Tree tree;
  tree.height = std::int32_t(levels.size()) - 1;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const std::int32_t next =
        std::int32_t(tree.nodes.size() + level->size());  // where the level below begins
    for (Node node : *level) {
      node.location = std::int32_t(tree.nodes.size());
      if (!node.is_leaf)
        for (std::int32_t i = 0; i < node.num_keys; ++i) node.indices[i] += next;
      tree.nodes.push_back(node);
    }
  }
  return tree;
}

struct Input {
  std::vector<std::int32_t> keys, records;  // ascending keys; the value of each
  std::vector<std::int32_t> queries, start, end;
};

Input make_input(const Size& size, std::uint64_t seed) {
  Random random(seed);
  Input in;
  std::int32_t key = 0;
  for (std::int32_t i = 0; i < size.records; ++i) {
    key += 1 + std::int32_t(random.below(8));
    in.keys.push_back(key);
    in.records.push_back(std::int32_t(random.below(1u << 30)));
  }
  for (std::int32_t i = 0; i < size.queries; ++i) {
    const std::uint32_t pick = random.below(size.records), kind = random.below(16);
    // Two in sixteen ask for a neighbouring number, which is a key only sometimes; one for the first key of a
    // leaf, which also stands above it.
    const std::int32_t key_or_first = in.keys[kind == 2 ? pick / leaf_fill * leaf_fill : pick];
    in.queries.push_back(kind < 2 ? key_or_first + 1 : key_or_first);
  }
  for (std::int32_t i = 0; i < size.ranges; ++i) {
    const std::uint32_t length = 1 + random.below(size.longest_range);
    std::uint32_t first = random.below(size.records - length), last = first + length - 1;
    if (random.below(8) == 0) {  // from one leaf's first key to another's
      first = first / leaf_fill * leaf_fill;
      last = last / leaf_fill * leaf_fill;
    }
    in.start.push_back(in.keys[first]);
    in.end.push_back(in.keys[last]);
  }
  return in;
}

class BPlusTree : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"records", std::to_string(size.records)},
            {"order", std::to_string(order)},
            {"keys per node", fmt::format("{} in leaves, {} above", leaf_fill, inner_fill)},
            {"key gaps", "uniform in 1..8"},
            {"point queries",
             fmt::format("{}, uniform over the keys; 1/8 the key plus one, 1/16 a leaf's first key",
                         size.queries)},
            {"range queries", fmt::format("{}, length uniform in 1..{}; 1/8 from and to a leaf's first key",
                                          size.ranges, size.longest_range)},
            {"threads per CTA", std::to_string(order)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const Input in = make_input(size, options.seed);
    const Tree tree = build(in.keys);
    load_embedded(device, info_.name);
    const DevicePtr nodes = device.upload(tree.nodes, "nodes");
    // One after the other: arguments of a call are evaluated in an order that differs between compilers.
    const Verification keys = find_keys(device, tree, nodes, in);
    return combine(keys, find_ranges(device, tree, nodes, in));
  }

 private:
  static Verification find_keys(Device& device, const Tree& tree, DevicePtr nodes, const Input& in) {
    const std::size_t count = in.queries.size();
    const DevicePtr records = device.upload(in.records, "records");
    const DevicePtr current = device.allocate(count * sizeof(std::int32_t), "current");
    const DevicePtr offset = device.allocate(count * sizeof(std::int32_t), "offset");
    const DevicePtr keys = device.upload(in.queries, "keys");
    const DevicePtr answers = device.upload(std::vector<std::int32_t>(count, -1), "answers");
    device.launch({.kernel = "findK",
                   .grid = {std::uint32_t(count)},
                   .block = {order},
                   .args = args(tree.height, nodes, std::int32_t(tree.nodes.size()), records, current, offset,
                                keys, answers)});
    std::vector<std::int32_t> want;
    for (const std::int32_t key : in.queries) {
      const auto found = std::lower_bound(in.keys.begin(), in.keys.end(), key);
      want.push_back(found != in.keys.end() && *found == key ? in.records[found - in.keys.begin()] : -1);
    }
    return compare_equal(device.download<std::int32_t>(answers, count), want, "answers");
  }

  static Verification find_ranges(Device& device, const Tree& tree, DevicePtr nodes, const Input& in) {
    const std::size_t count = in.start.size(), bytes = count * sizeof(std::int32_t);
    const DevicePtr current = device.allocate(bytes, "current"), offset = device.allocate(bytes, "offset");
    const DevicePtr last = device.allocate(bytes, "last"), offset_2 = device.allocate(bytes, "offset 2");
    const DevicePtr start = device.upload(in.start, "start"), end = device.upload(in.end, "end");
    const DevicePtr first = device.allocate(bytes, "record start");
    const DevicePtr length = device.allocate(bytes, "record length");
    device.launch({.kernel = "findRangeK",
                   .grid = {std::uint32_t(count)},
                   .block = {order},
                   .args = args(tree.height, nodes, std::int32_t(tree.nodes.size()), current, offset, last,
                                offset_2, start, end, first, length)});
    std::vector<std::int32_t> want_first, want_length;
    for (std::size_t i = 0; i < count; ++i) {
      const auto from = std::lower_bound(in.keys.begin(), in.keys.end(), in.start[i]);
      const auto to = std::upper_bound(in.keys.begin(), in.keys.end(), in.end[i]);
      want_first.push_back(std::int32_t(from - in.keys.begin()));
      want_length.push_back(std::int32_t(to - from));
    }
    return combine(compare_equal(device.download<std::int32_t>(first, count), want_first, "record start"),
                   compare_equal(device.download<std::int32_t>(length, count), want_length, "record length"));
  }

  WorkloadInfo info_{.name = "b+tree",
                     .suite = "Rodinia",
                     .abbreviation = "BT",
                     .summary = "point and range queries on a B+ tree, one CTA per query",
                     .order_reason = {},
                     .kernels = {{"findK", ""}, {"findRangeK", ""}}};
};

}  // namespace

const Workload& b_plus_tree_workload() {
  static const BPlusTree workload;
  return workload;
}

}  // namespace heddle::workloads
