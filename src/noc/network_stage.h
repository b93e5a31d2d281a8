// The two networks between clusters and memory as a stage of the machine (mem/stage.h).
#pragma once

#include "mem/stage.h"
#include "noc/network.h"

namespace heddle::noc {

class NetworkStage final : public mem::Stage {
 public:
  // `clusters` and `slices`: ports on either side.
  NetworkStage(const NetworkSpec& request, const NetworkSpec& reply, std::uint32_t clusters,
               std::uint32_t slices, Frequency core, const mem::Picture::Wires& wires);
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

  void collect(stats::Groups& all) const override;
  void clear_statistics() override;
  void read_series(sim::Cycle now, std::uint64_t* into) const override;
  bool idle() const override;

 private:
  NetworkSpec request_spec_, reply_spec_;
  std::uint32_t clusters_, slices_;
  Frequency core_;
  mem::Picture::Wires wires_;
  Network *request_ = nullptr, *reply_ = nullptr;
};

}  // namespace heddle::noc
