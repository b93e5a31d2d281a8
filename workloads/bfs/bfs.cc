// bfs: Rodinia's breadth-first search on a random graph.
//
// Threads race for a neighbour's cost and mask and for the flag, but all write the same value within a level,
// and nothing that is written in a level is read in it by another thread. So the result does not depend on
// the order.
#include <cstdint>
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

constexpr std::uint32_t block = 256;
constexpr std::int32_t min_degree = 2, max_degree = 10;
constexpr std::int32_t source = 0;

std::int32_t nodes_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 10'000;
    case Scale::Small:
      return 131'072;
    case Scale::Paper:
      return 1'000'000;
  }
  return 0;
}

struct Node {  // as in bfs.cu
  std::int32_t starting, no_of_edges;
};
struct Graph {
  std::vector<Node> nodes;
  std::vector<std::int32_t> edges;
};

Graph make_graph(std::int32_t count, std::uint64_t seed) {
  Random random(seed);
  Graph g;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t degree = min_degree + std::int32_t(random.below(max_degree - min_degree + 1));
    g.nodes.push_back({std::int32_t(g.edges.size()), degree});
    for (std::int32_t e = 0; e < degree; ++e) g.edges.push_back(std::int32_t(random.below(count)));
  }
  return g;
}

// A queue; -1 where no path leads.
std::vector<std::int32_t> reference(const Graph& g) {
  std::vector<std::int32_t> cost(g.nodes.size(), -1), queue{source};
  cost[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::int32_t node = queue[head];
    for (std::int32_t e = 0; e < g.nodes[node].no_of_edges; ++e) {
      const std::int32_t neighbour = g.edges[g.nodes[node].starting + e];
      if (cost[neighbour] >= 0) continue;
      cost[neighbour] = cost[node] + 1;
      queue.push_back(neighbour);
    }
  }
  return cost;
}

class Bfs : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"nodes", std::to_string(nodes_of(options.scale))},
            {"out-degree", fmt::format("uniform in {}..{}, mean {}", min_degree, max_degree,
                                       (min_degree + max_degree) / 2)},
            {"edge targets", "uniform over all nodes"},
            {"source", std::to_string(source)},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Graph g = make_graph(nodes_of(options.scale), options.seed);
    const std::int32_t count = std::int32_t(g.nodes.size());
    std::vector<std::uint8_t> frontier(count);
    std::vector<std::int32_t> cost(count, -1);
    frontier[source] = 1;
    cost[source] = 0;

    load_embedded(device, info_.name);
    const DevicePtr nodes = device.upload(g.nodes, "nodes"), edges = device.upload(g.edges, "edges");
    const DevicePtr mask = device.upload(frontier, "mask"), visited = device.upload(frontier, "visited");
    const DevicePtr updating = device.allocate(count, "updating mask");
    const DevicePtr d_cost = device.upload(cost, "cost"), more = device.allocate(1, "more");
    const Dim3 grid{(count + block - 1) / block};
    std::uint8_t again = 1;
    while (again) {
      again = 0;
      device.copy_in(more, &again, 1);
      device.launch({.kernel = "bfs_expand",
                     .grid = grid,
                     .block = {block},
                     .args = args(nodes, edges, mask, updating, visited, d_cost, count)});
      device.launch({.kernel = "bfs_update",
                     .grid = grid,
                     .block = {block},
                     .args = args(mask, updating, visited, more, count)});
      device.copy_out(&again, more, 1);
    }
    return compare_equal(device.download<std::int32_t>(d_cost, count), reference(g), "cost");
  }

 private:
  WorkloadInfo info_{.name = "bfs",
                     .suite = "Rodinia",
                     .abbreviation = "BFS",
                     .summary = "breadth-first search on a random graph, level by level",
                     .order_reason = {},
                     .kernels = {{"bfs_expand", ""}, {"bfs_update", ""}}};
};

}  // namespace

const Workload& bfs_workload() {
  static const Bfs workload;
  return workload;
}

}  // namespace heddle::workloads
