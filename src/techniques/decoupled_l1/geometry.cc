#include "techniques/decoupled_l1/geometry.h"

#include <fmt/format.h>

namespace heddle::decoupled_l1 {

using hierarchy::L1Layout;
using hierarchy::L1Organization;
using hierarchy::L1Setting;

namespace {

std::uint32_t nodes_of(const DecoupledSpec& spec, const L1Setting& s) {
  return spec.nodes == 0 ? s.sms() : spec.nodes;
}
std::uint32_t clusters_of(const DecoupledSpec& spec, const L1Setting& s) {
  return spec.clusters == 0 ? nodes_of(spec, s) : spec.clusters;
}

}  // namespace

std::optional<L1Organization::Obstacle> Geometry::obstacle(const DecoupledSpec& spec, const L1Setting& s) {
  using Obstacle = L1Organization::Obstacle;
  const std::uint32_t cores = s.sms(), y = nodes_of(spec, s), z = clusters_of(spec, s);
  const char *nodes = "l1.decoupled.nodes", *clusters = "l1.decoupled.clusters";
  if (y > cores)
    return Obstacle{nodes, fmt::format("{} nodes for {} cores: a node serves at least one", y, cores),
                    "give at most as many nodes as there are SMs"};
  if (y % z != 0)
    return Obstacle{clusters, fmt::format("{} nodes do not divide into {} clusters", y, z),
                    "clusters must divide nodes"};
  const bool as_machine = z == s.clusters();
  if (cores % z != 0 && !as_machine)
    return Obstacle{
        clusters, fmt::format("{} cores do not divide into {} clusters", cores, z),
        fmt::format("clusters must divide the number of SMs, or be the machine's own {}", s.clusters())};
  if (z == y && cores % y != 0 && !as_machine)
    return Obstacle{nodes, fmt::format("{} cores do not divide over {} private nodes", cores, y),
                    "nodes must divide the number of SMs"};
  const std::uint32_t m = y / z, slices = s.map.slices();
  if (z > 1 && m > 1 && slices % m != 0)
    return Obstacle{
        nodes,
        fmt::format("each of the {} nodes of a cluster is the home of {} / {} L2 slices, which is "
                    "no whole number",
                    m, slices, m),
        "let nodes / clusters divide the number of L2 slices, or have one cluster"};
  if (s.unified.count() != 0 && spec.sets == 0)
    return Obstacle{
        "l1.decoupled.sets",
        "the machine divides one memory of an SM between L1 and shared memory, kernel by kernel: what "
        "nodes get of it is not known",
        "give the size of a node: l1.decoupled.sets and l1.decoupled.ways"};
  return {};
}

Geometry::Geometry(const DecoupledSpec& spec, const L1Setting& s)
    : clusters_(clusters_of(spec, s)), per_cluster_(nodes_of(spec, s) / clusters_) {
  for (std::uint32_t c = 0; c <= clusters_; ++c)
    first_core_.push_back(clusters_ == s.clusters() ? s.first_sm[c] : s.sms() / clusters_ * c);
  for (std::uint32_t c = 0; c < clusters_; ++c)
    cluster_of_.insert(cluster_of_.end(), first_core_[c + 1] - first_core_[c], static_cast<std::uint16_t>(c));
  homes_ = std::make_shared<mem::HomeMap>(s.map, per_cluster_);
  if (per_cluster_ > 1 && mem::HomeMap::follows_slices(s.map, per_cluster_)) parts_ = per_cluster_;
  // Nodes of one core or a few of the same cluster of the machine share its port, as L1s beside SMs do.
  if (per_cluster_ == 1 && clusters_ > s.clusters() && clusters_ % s.clusters() == 0 &&
      s.sms() % s.clusters() == 0)
    shared_ports_ = s.clusters();
}

// Ports are numbered so that those of one part follow each other: by number of the node, then by cluster.
L1Layout Geometry::layout() const {
  L1Layout l;
  l.l1s = nodes();
  l.parts = parts_;
  if (shared_ports_ != 0) {
    l.ports.resize(shared_ports_);
    for (std::uint32_t n = 0; n < l.l1s; ++n) l.ports[n / (l.l1s / shared_ports_)].push_back(n);
    return l;
  }
  for (std::uint32_t j = 0; j < per_cluster_; ++j)
    for (std::uint32_t c = 0; c < clusters_; ++c) l.ports.push_back({c * per_cluster_ + j});
  return l;
}

}  // namespace heddle::decoupled_l1
