// The two networks between clusters and memory as a stage of the machine (mem/stage.h).
#pragma once

#include <memory>
#include <string>

#include "mem/stage.h"
#include "noc/network.h"
#include "noc/topology.h"

namespace heddle::noc {

class NetworkStage final : public mem::Stage {
 public:
  // What the description says of one of them.
  struct Described {
    std::string line;            // for the picture
    double flits_per_cycle = 0;  // of the core: at most
    std::shared_ptr<const Topology> design;
    mem::Structure structure;
  };
  NetworkStage(Described request, Described reply, const mem::Picture::Wires& wires);
  void attach(Network& request, Network& reply) {
    request_ = &request;
    reply_ = &reply;
  }

  std::string_view name() const override { return "the networks"; }
  void declare(stats::Groups& all) const override;
  mem::Edges edges(const stats::Groups& s) const override;
  std::vector<mem::Identity> identities(const stats::Groups& s) const override;
  std::vector<mem::Series> series() const override;
  std::vector<mem::Curve> curves() const override;
  mem::Picture picture() const override;
  std::vector<mem::Structure> structures() const override;

  void collect(stats::Groups& all) const override;
  void clear_statistics() override;
  void read_series(sim::Cycle now, std::uint64_t* into) const override;
  bool idle() const override;

 private:
  Described request_described_, reply_described_;
  mem::Picture::Wires wires_;
  Network *request_ = nullptr, *reply_ = nullptr;
};

// `place`: as the network is built there.
NetworkStage::Described describe(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan);

}  // namespace heddle::noc
