#include "techniques/cta_clustering/graph/cut_graph.h"

#include <metis.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"
#include "techniques/cta_clustering/graph/parts.h"

namespace heddle::cta_clustering {
namespace {

constexpr std::uint64_t kMostWeight = 1u << 30;  // of all edges: METIS adds them with 32 bits
constexpr int kSwapRounds = 8;
constexpr std::uint32_t kMostClusters = 2048;  // more than any GPU has SMs

struct MetisGraph {
  std::vector<idx_t> first, end, weight;
};

MetisGraph for_metis(const ReuseGraph& g) {
  const std::uint64_t all = std::accumulate(g.weight.begin(), g.weight.end(), std::uint64_t{0});
  const std::uint64_t divisor = all / kMostWeight + 1;
  MetisGraph m;
  m.first.assign(g.first.begin(), g.first.end());
  m.end.assign(g.end.begin(), g.end.end());
  for (const std::uint32_t w : g.weight)
    m.weight.push_back(static_cast<idx_t>(std::max<std::uint64_t>(1, w / divisor)));
  return m;
}

using Method = decltype(&METIS_PartGraphKway);

// Throws Error: METIS has failed.
Parts cut_by(Method method, MetisGraph& m, const Clusters& clusters, int seed) {
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_NCUTS] = 4;
  options[METIS_OPTION_NUMBERING] = 0;
  auto vertices = static_cast<idx_t>(m.first.size() - 1), constraints = idx_t{1}, cut = idx_t{0};
  auto parts = static_cast<idx_t>(clusters.clusters);
  std::vector<real_t> shares;
  for (std::uint32_t c = 0; c < clusters.clusters; ++c)
    shares.push_back(static_cast<real_t>(clusters.size(c)) / static_cast<real_t>(clusters.tasks));
  std::vector<idx_t> part(m.first.size() - 1);
  // METIS takes its random numbers from rand(), which the process has once.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const int status = method(&vertices, &constraints, m.first.data(), m.end.data(), nullptr, nullptr,
                            m.weight.data(), &parts, shares.data(), nullptr, options, &cut, part.data());
  if (status != METIS_OK)
    throw Error(fmt::format("METIS could not cut {} CTAs into {} clusters (status {})", vertices,
                            clusters.clusters, status));
  return {part.begin(), part.end()};
}

// METIS's parts by size, so that those which are to be larger are.
void number_by_size(Parts& parts, std::uint32_t clusters) {
  std::vector<std::uint64_t> counts(clusters);
  for (const std::uint32_t p : parts) ++counts[p];
  std::vector<std::uint32_t> by_size(clusters), number(clusters);
  std::iota(by_size.begin(), by_size.end(), 0u);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
  for (std::uint32_t i = 0; i < clusters; ++i) number[by_size[i]] = i;
  for (std::uint32_t& p : parts) p = number[p];
}

std::uint64_t weight_between(const ReuseGraph& g, const Parts& parts) {
  std::uint64_t sum = 0;
  for (std::uint32_t v = 0; v < parts.size(); ++v)
    for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e)
      if (parts[v] != parts[g.end[e]]) sum += g.weight[e];
  return sum / 2;
}

// Weight between any two parts.
std::vector<std::uint64_t> weights_of_parts(const ReuseGraph& g, const Parts& parts, std::uint32_t n) {
  std::vector<std::uint64_t> weights(std::size_t{n} * n);
  for (std::uint32_t v = 0; v < parts.size(); ++v)
    for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e)
      weights[std::size_t{parts[v]} * n + parts[g.end[e]]] += g.weight[e];
  return weights;
}

// Larger parts before smaller ones, as clusters are; behind each the one that shares most with it, since an
// agent whose cluster has no task left takes from the next.
std::vector<std::uint32_t> chained(const ReuseGraph& g, const Parts& parts,
                                   const std::vector<std::vector<std::uint32_t>>& members) {
  const auto n = static_cast<std::uint32_t>(members.size());
  const std::vector<std::uint64_t> weights = weights_of_parts(g, parts, n);
  std::vector<std::uint32_t> left(n), chain;
  std::iota(left.begin(), left.end(), 0u);
  while (!left.empty()) {
    const auto better = [&](std::uint32_t a, std::uint32_t b) {
      if (members[a].size() != members[b].size()) return members[a].size() > members[b].size();
      if (chain.empty()) return members[a].front() < members[b].front();
      const std::uint64_t* to = &weights[std::size_t{chain.back()} * n];
      return to[a] != to[b] ? to[a] > to[b] : members[a].front() < members[b].front();
    };
    const auto next = std::min_element(left.begin(), left.end(), better);
    chain.push_back(*next);
    left.erase(next);
  }
  return chain;
}

}  // namespace

TaskOrder cut_graph(const ReuseGraph& graph, const CutOptions& o) {
  const Clusters clusters{graph.vertices(), o.clusters};
  TaskOrder order(graph.vertices());
  std::iota(order.begin(), order.end(), 0u);
  const bool many = o.clusters > kMostClusters;
  if (o.clusters < 2 || many || graph.vertices() <= o.clusters || graph.edges() == 0) return order;
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t c = 0; c < o.clusters; ++c) sizes.push_back(clusters.size(c));
  MetisGraph metis = for_metis(graph);
  Parts best;
  for (const Method method : {&METIS_PartGraphRecursive, &METIS_PartGraphKway}) {
    Parts parts = cut_by(method, metis, clusters, o.seed);
    number_by_size(parts, o.clusters);
    make_exact(graph, sizes, parts);
    swap_for_less(graph, kSwapRounds, parts);
    if (best.empty() || weight_between(graph, parts) < weight_between(graph, best)) best = std::move(parts);
  }
  order.clear();
  std::vector<std::vector<std::uint32_t>> members(o.clusters);
  for (std::uint32_t v = 0; v < best.size(); ++v) members[best[v]].push_back(v);
  for (const std::uint32_t part : chained(graph, best, members))
    order.insert(order.end(), members[part].begin(), members[part].end());
  return order;
}

TaskOrder order_by_reuse(const workload::CtaReads& reads, const CutOptions& o) {
  ReuseGraphOptions graph;
  graph.cluster = (reads.lines.size() + o.clusters - 1) / o.clusters;
  return cut_graph(reuse_graph(reads, graph), o);
}

std::uint64_t cut_weight(const ReuseGraph& graph, const TaskOrder& order, std::uint32_t clusters) {
  const Clusters c{order.size(), clusters};
  Parts parts(order.size());
  for (std::uint32_t i = 0; i < clusters; ++i)
    for (std::uint64_t w = 0; w < c.size(i); ++w) parts[order[c.first(i) + w]] = i;
  return weight_between(graph, parts);
}

}  // namespace heddle::cta_clustering
