// The clusters' ports as a stage of the machine (mem/stage.h): what the SMs of a cluster ask for meets here,
// and the merger of the description may merge it or answer it from what it holds.
#pragma once

#include <vector>

#include "cluster/cluster_port.h"
#include "cluster/mergers.h"
#include "mem/stage.h"

namespace heddle::cluster {

class PortStage final : public mem::Stage {
 public:
  // `merger`: one like those of the clusters, for what it declares. `kind`: names of what merges and holds.
  PortStage(const ClusterSpec& spec, std::uint32_t clusters, const MergerKind& kind,
            std::unique_ptr<MissMerger> merger, const mem::Picture::Wires& wires);
  void attach(ClusterPort& port) { ports_.push_back(&port); }

  std::string_view name() const override { return "the clusters' ports"; }
  void declare(stats::Groups& all) const override;
  void declare_meters(stats::Groups& all) const override;
  mem::Edges edges(const stats::Groups& s) const override;
  std::vector<mem::Identity> identities(const stats::Groups& s) const override;
  void funnel(const stats::Groups& s, mem::Funnel& f) const override;
  std::vector<mem::Series> series() const override;
  std::vector<mem::Curve> curves() const override;
  mem::Picture picture() const override;
  std::vector<mem::Structure> structures() const override;

  void collect(stats::Groups& all) const override;
  void collect_meters(stats::Groups& all) const override;
  void clear_statistics() override;
  void read_series(sim::Cycle now, std::uint64_t* into) const override;
  bool idle() const override;
  void kernel_end() override;

 private:
  ClusterSpec spec_;
  std::uint32_t clusters_;
  MergerKind kind_;
  std::unique_ptr<MissMerger> merger_;
  mem::Picture::Wires wires_;
  std::vector<ClusterPort*> ports_;
};

}  // namespace heddle::cluster
