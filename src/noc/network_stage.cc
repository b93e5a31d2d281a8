#include "noc/network_stage.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::noc {

namespace {

constexpr const char *kRequest = "request_network", *kReply = "reply_network";

Frequency own_clock(const NetworkSpec& spec, Frequency core) {
  return spec.clock == Frequency{0} ? core : spec.clock;
}

}  // namespace

NetworkStage::NetworkStage(const NetworkSpec& request, const NetworkSpec& reply, std::uint32_t clusters,
                           std::uint32_t slices, Frequency core, const mem::Picture::Wires& wires)
    : request_spec_(request),
      reply_spec_(reply),
      clusters_(clusters),
      slices_(slices),
      core_(core),
      wires_(wires) {}

void NetworkStage::declare(stats::Groups& all) const {
  all.make<NetworkStats>(kRequest);
  all.make<NetworkStats>(kReply);
}

mem::Edges NetworkStage::edges(const stats::Groups& s) const {
  const NetworkStats &request = s.get<NetworkStats>(kRequest), &reply = s.get<NetworkStats>(kReply);
  mem::Edges e;
  e.requests_in = request.injected;
  e.requests_out = request.ejected;
  e.answers_in = reply.injected;
  e.answers_out = reply.ejected;
  return e;
}

std::vector<mem::Identity> NetworkStage::identities(const stats::Groups& s) const {
  const NetworkStats &request = s.get<NetworkStats>(kRequest), &reply = s.get<NetworkStats>(kReply);
  return {{"packets into and out of the request network", request.injected, request.ejected},
          {"packets into and out of the reply network", reply.injected, reply.ejected}};
}

std::vector<mem::Series> NetworkStage::series() const {
  const auto most = [&](const NetworkSpec& spec) {
    return std::min(clusters_, slices_) * static_cast<double>(own_clock(spec, core_).count()) /
           static_cast<double>(core_.count());
  };
  return {{"request_network.flits", most(request_spec_)}, {"reply_network.flits", most(reply_spec_)}};
}

std::vector<mem::Curve> NetworkStage::curves() const {
  using Of = mem::Curve::Of;
  return {{"request.use", "request network", "share of flits", "use", {"request_network.flits"}, Of::Most},
          {"reply.use", "reply network", "share of flits", "use", {"reply_network.flits"}, Of::Most}};
}

mem::Picture NetworkStage::picture() const {
  const auto line = [&](const char* name, const NetworkSpec& n, std::uint32_t in, std::uint32_t out) {
    return fmt::format("{} network: {} {} x {}, {} per port and cycle at {}", name, n.topology, in, out,
                       to_string(n.packet.flit), to_string(own_clock(n, core_)));
  };
  return {
      {line("request", request_spec_, clusters_, slices_), line("reply", reply_spec_, slices_, clusters_)},
      wires_};
}

void NetworkStage::collect(stats::Groups& all) const {
  all.add(kRequest, request_->statistics());
  all.add(kReply, reply_->statistics());
}

void NetworkStage::clear_statistics() {
  request_->clear_statistics();
  reply_->clear_statistics();
}

void NetworkStage::read_series(sim::Cycle, std::uint64_t* into) const {
  into[0] = request_->statistics().flits;
  into[1] = reply_->statistics().flits;
}

bool NetworkStage::idle() const {
  return request_->in_flight() + reply_->in_flight() == 0;
}

}  // namespace heddle::noc
