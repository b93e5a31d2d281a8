#include "techniques/cta_clustering/clustering_rewriter.h"

#include <span>

#include "base/error.h"
#include "techniques/cta_clustering/graph/cut_graph.h"
#include "techniques/cta_clustering/rewrite/agent_launch.h"

namespace heddle::cta_clustering {

using config::range;

void ClusteringSpec::fields(config::Reader& r) {
  using Choice = config::Choice<Order>;
  constexpr const char* kWhat = "Which CTAs share a cluster";
  const Choice row{"row", Order::Row, "neighbours of a row share a cluster (the paper's Y-partition)"},
      column{"column", Order::Column, "neighbours of a column do (its X-partition)"},
      tile{"tile", Order::Tile, "tiles, one row of them after the other"},
      graph{"graph", Order::Table,
            "those that read the same lines in the first launch of the kernel with its grid, as METIS cuts "
            "their "
            "graph"};
  // A redirected kernel has no parameters of its own, and functions that it calls would not see them.
  if (way == Way::Redirection)
    r.choice("partition", partition.order, {row, column, tile}, kWhat);
  else
    r.choice("partition", partition.order, {row, column, tile, graph}, kWhat);
  r.field("tile_width", partition.tile_width, range(1u, 65536u), "CTAs of a tile in x");
  r.field("tile_height", partition.tile_height, range(1u, 65536u), "CTAs of a tile in y");
  if (partition.order != Order::Tile)
    r.unused({"tile_width", "tile_height"}, "only partition = tile asks for it");
  r.field("clusters", clusters, range(0u, 65536u), "Clusters of CTAs; 0: as many as SMs");
  if (way == Way::Agents) {
    r.field("active", active_agents, range(0u, 1024u),
            "Agents of an SM that take tasks, the others retire (throttling); 0: all that fit");
    r.field("prefetch", prefetch, "Whether an agent prefetches what the next task of its SM reads first");
  }
  r.field("bypass", bypass, "Whether global loads that can pass the L1 by do (ld.global.cg)");
}

std::vector<ptx::tree::Pass> ClusteringRewriter::passes(const std::string& kernel) const {
  std::vector<ptx::tree::Pass> all;
  if (spec_.bypass) all.push_back(bypass_l1(kernel, {}));
  all.push_back(spec_.way == Way::Redirection
                    ? redirect(kernel, Redirection{clusters_, spec_.partition})
                    : become_agents(kernel, Agents{spec_.partition, spec_.prefetch}));
  return all;
}

std::optional<workload::InsteadOf> ClusteringRewriter::launch(const workload::Launch& launch,
                                                              workload::LaunchSite& site) {
  if (!modules_.has(launch)) return {};
  if (spec_.way == Way::Redirection) return {{launch}};
  AgentGrid agents;
  agents.clusters = clusters_;
  agents.agents_per_cluster = site.ctas_per_sm(launch);
  if (agents.agents_per_cluster == 0) return {{modules_.original(launch), false}};
  agents.active_agents = spec_.active_agents != 0 ? spec_.active_agents : agents.agents_per_cluster;
  const workload::DevicePtr counters = site.counters(workspace_bytes(agents));
  if (!by_table()) return {{agent_launch(launch, agents, counters)}};
  return {{agent_launch(launch, agents, counters, order_of(launch, site))}};
}

workload::DevicePtr ClusteringRewriter::order_of(const workload::Launch& launch, workload::LaunchSite& site) {
  const auto& g = launch.grid;
  const auto [at, first] = orders_.try_emplace({launch.kernel, launch.module, g.x, g.y, g.z});
  if (!first) return at->second;
  try {
    CutOptions options;
    options.clusters = clusters_;
    const TaskOrder order = order_by_reuse(site.reads(modules_.original(launch)), options);
    at->second = site.constants(std::as_bytes(std::span(order)));
  } catch (const Error& e) {
    uncut_.push_back({launch.kernel, e.message(), launch.grid});
  }
  return at->second;
}

namespace {

template <Way way>
workload::RewriterFactory read(config::Reader& section) {
  ClusteringSpec spec;
  spec.way = way;
  spec.fields(section);
  return [spec](std::uint32_t sms) { return std::make_unique<ClusteringRewriter>(spec, sms); };
}

}  // namespace

const workload::LaunchRewriterKind kRedirection{
    "redirection", "CTA clustering: every CTA computes which one it is instead, by its number",
    read<Way::Redirection>};
const workload::LaunchRewriterKind kAgents{
    "agents", "CTA clustering: CTAs that stay on their SM and take the tasks of its cluster",
    read<Way::Agents>};

}  // namespace heddle::cta_clustering
