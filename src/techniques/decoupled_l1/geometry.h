// Who uses which DC-L1 node: rules 7 to 9 of docs/specs/dcl1.md.
//
// Cores and nodes form as many clusters: PrY has Y of them with one node each, ShY has one, ShY+CZ has Z. In
// a cluster every core reaches every node (NoC#1 is a crossbar per cluster), and a line has one home. Nodes
// of the same number in all clusters are the homes of the same L2 slices: NoC#2 is a crossbar per number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hierarchy/l1_organization.h"
#include "mem/home_map.h"
#include "techniques/decoupled_l1/decoupled_spec.h"

namespace heddle::decoupled_l1 {

class Geometry {
 public:
  // What is wrong with such an arrangement in a machine; nothing: it can be built.
  static std::optional<hierarchy::L1Organization::Obstacle> obstacle(const DecoupledSpec& spec,
                                                                     const hierarchy::L1Setting& setting);
  Geometry(const DecoupledSpec& spec, const hierarchy::L1Setting& setting);

  std::uint32_t cores() const { return static_cast<std::uint32_t>(cluster_of_.size()); }
  std::uint32_t nodes() const { return clusters_ * per_cluster_; }
  std::uint32_t clusters() const { return clusters_; }
  std::uint32_t nodes_per_cluster() const { return per_cluster_; }
  std::uint32_t first_core(std::uint32_t cluster) const { return first_core_[cluster]; }
  // What a node has of something that every core had `each` of: all of it together, in equal parts.
  std::uint32_t share(std::uint32_t each) const {
    const std::uint64_t all = std::uint64_t{each} * cores();
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, all / nodes()));
  }

  std::uint32_t node_of(std::uint32_t core, std::uint64_t line) const {
    return cluster_of_[core] * per_cluster_ + homes_->home(line);
  }
  // Of the nodes of a cluster; nullptr: there is one.
  std::shared_ptr<const mem::HomeMap> homes() const { return per_cluster_ == 1 ? nullptr : homes_; }

  // Ports of the memory networks, and their separate parts.
  hierarchy::L1Layout layout() const;

 private:
  std::uint32_t clusters_, per_cluster_;
  std::vector<std::uint32_t> first_core_;  // of each cluster, and the number of cores
  std::vector<std::uint16_t> cluster_of_;  // by core
  std::uint32_t shared_ports_ = 0;  // clusters of the machine whose nodes share a port each; 0: none do
  std::uint32_t parts_ = 1;
  std::shared_ptr<const mem::HomeMap> homes_;
};

}  // namespace heddle::decoupled_l1
