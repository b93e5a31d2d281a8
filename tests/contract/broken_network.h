// A network that loses one packet at its first output. For tests of the checks.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "noc/topology.h"

namespace heddle::contract {

enum class NetworkFault { None, DropsOne };

// Stands between a network's output and the channel there.
class FaultyRelay final : public sim::Unit {
 public:
  FaultyRelay(NetworkFault fault, noc::PacketChannel& out) : fault_(fault), in(1, 8), out_(out) {}
  sim::Cycle run(sim::Cycle from, sim::Cycle until) override {
    for (sim::Cycle now = from; now < until; ++now)
      while (in.ready(now) && out_.can_send(now)) pass_on(now);
    if (in.ready(until)) return std::max(until, out_.room_at());
    return std::max(until, in.next_arrival());
  }
  std::string name() const override { return "relay"; }
  std::string waits() const override { return {}; }

 private:
  static constexpr int kFaulty = 20;  // which packet
  void pass_on(sim::Cycle now) {
    if (++packets_ != kFaulty || fault_ != NetworkFault::DropsOne) out_.send(now, in.front());
    in.pop(now);
  }
  NetworkFault fault_;

 public:
  noc::PacketChannel in;

 private:
  noc::PacketChannel& out_;
  int packets_ = 0;
};

class FaultyNetwork final : public noc::Network {
 public:
  FaultyNetwork(NetworkFault fault, noc::PacketChannel& out) : relay(fault, out) {}
  sim::UnitId reader(std::uint32_t input) const override { return inner->reader(input); }
  sim::UnitId writer(std::uint32_t output) const override {
    return output == 0 ? relay_id : inner->writer(output);
  }
  noc::NetworkStats statistics() const override { return inner->statistics(); }
  void clear_statistics() override { inner->clear_statistics(); }
  std::uint64_t in_flight() const override { return inner->in_flight() + (relay.in.empty() ? 0 : 1); }

  FaultyRelay relay;
  sim::UnitId relay_id = sim::kNoUnit;
  std::unique_ptr<noc::Network> inner;
};

class FaultyTopology final : public noc::Topology {
 public:
  FaultyTopology(NetworkFault fault, std::shared_ptr<const noc::Topology> inner)
      : fault_(fault), inner_(std::move(inner)) {}
  std::unique_ptr<noc::Network> make(const noc::NetworkSpec& spec, const noc::NetworkPlace& place,
                                     const noc::Ports& ports, sim::Engine& engine) const override {
    auto network = std::make_unique<FaultyNetwork>(fault_, *ports.out[0]);
    noc::Ports inner = ports;
    inner.out[0] = &network->relay.in;
    network->inner = inner_->make(spec, place, inner, engine);
    network->relay_id = engine.add(network->relay);
    engine.connect(network->relay.in, network->inner->writer(0), network->relay_id);
    return network;
  }
  double unloaded(const noc::NetworkSpec& spec, const noc::NetworkPlace& place,
                  std::uint32_t flits) const override {
    return inner_->unloaded(spec, place, flits);
  }
  double peak_flits(const noc::NetworkPlace& place) const override { return inner_->peak_flits(place); }
  std::string shape(const noc::NetworkPlace& place) const override { return inner_->shape(place); }
  mem::Structure structure(const noc::NetworkSpec& spec, const noc::NetworkPlace& place,
                           const noc::BufferPlan& plan) const override {
    return inner_->structure(spec, place, plan);
  }

 private:
  NetworkFault fault_;
  std::shared_ptr<const noc::Topology> inner_;
};

}  // namespace heddle::contract
