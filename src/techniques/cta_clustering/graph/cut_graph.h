// From a graph of CTAs to an order of them: cut by METIS into clusters with little between them, each of the
// size that rule 6 gives it.
//
// The same graph gives the same order on every host, as far as METIS does: it has a seed of its own, and one
// call at a time. Its balance is reckoned in single precision, whose last bit a compiler may choose.
#pragma once

#include <cstdint>
#include <vector>

#include "techniques/cta_clustering/graph/reuse_graph.h"
#include "techniques/cta_clustering/rewrite/partition.h"

namespace heddle::cta_clustering {

struct CutOptions {
  std::uint32_t clusters = 1;
  int seed = 1;
};

// CTAs of a cluster are in the order of the grid: one by what they share brought no fewer L2 reads.
// Task v of the order is CTA order[v] (x fastest): Clusters{V, clusters} says which tasks are a cluster.
using TaskOrder = std::vector<std::uint32_t>;
// The grid's own order where nothing is shared or every CTA is a cluster.
TaskOrder cut_graph(const ReuseGraph& graph, const CutOptions& options);
// From the reads, with what a graph for so many clusters needs. Throws Error as reuse_graph does.
TaskOrder order_by_reuse(const workload::CtaReads& reads, const CutOptions& options);

// Weight of the edges between clusters of an order.
std::uint64_t cut_weight(const ReuseGraph& graph, const TaskOrder& order, std::uint32_t clusters);

}  // namespace heddle::cta_clustering
