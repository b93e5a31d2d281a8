// Two networks, one there and one back, as a stage of the machine (mem/stage.h): those between clusters and
// memory, and those that an L1 organization has between SMs and L1s.
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
    std::shared_ptr<const PacketMerging> merging = {};
    mem::PacketFormat packet = {};
    std::vector<mem::Structure> beside = {};  // what stands at its switches or ports
  };
  // What they are called.
  struct Names {
    const char* stage;                    // in sentences
    const char *request, *reply;          // groups of statistics
    const char *request_use, *reply_use;  // curves
    mem::Region region;                   // for energy
    // Statistics that count the sectors of data which they carry; none: nobody counts them.
    std::initializer_list<const char*> data_sent, data_received;
  };
  static constexpr auto kWritten = {"l2.write_sectors", "l2.atomic_sectors"};
  static constexpr auto kRead = {"l2.read_sectors", "l2.atomic_sectors"};
  static constexpr Names kMemory{"the networks", "request_network",    "reply_network", "request.use",
                                 "reply.use",    mem::Region::Network, kWritten,        kRead};
  static constexpr Names kCores{"the networks of the L1s",
                                "core_request_network",
                                "core_reply_network",
                                "core_request.use",
                                "core_reply.use",
                                mem::Region::CoreNetwork,
                                {},
                                {}};
  NetworkStage(const Names& names, Described request, Described reply, const mem::Picture::Wires& wires);
  void attach(Network& request, Network& reply) {
    request_ = &request;
    reply_ = &reply;
  }

  std::string_view name() const override { return names_.stage; }
  void declare(stats::Groups& all) const override;
  mem::Edges edges(const stats::Groups& s) const override;
  std::vector<mem::Identity> identities(const stats::Groups& s) const override;
  void funnel(const stats::Groups& s, mem::Funnel& f) const override;
  std::vector<mem::Series> series() const override;
  std::vector<mem::Curve> curves() const override;
  mem::Picture picture() const override;
  std::vector<mem::Structure> structures() const override;

  void collect(stats::Groups& all) const override;
  void clear_statistics() override;
  void read_series(sim::Cycle now, std::uint64_t* into) const override;
  bool idle() const override;

 private:
  Names names_;
  Described request_described_, reply_described_;
  mem::Picture::Wires wires_;
  Network *request_ = nullptr, *reply_ = nullptr;
};

// `place`: as the network is built there.
NetworkStage::Described describe(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan);

}  // namespace heddle::noc
