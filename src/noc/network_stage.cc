#include "noc/network_stage.h"

#include <utility>

#include <fmt/format.h>

namespace heddle::noc {

namespace {

constexpr const char *kRequest = "request_network", *kReply = "reply_network";

}  // namespace

NetworkStage::NetworkStage(Described request, Described reply, const mem::Picture::Wires& wires)
    : request_described_(std::move(request)), reply_described_(std::move(reply)), wires_(wires) {}

void NetworkStage::declare(stats::Groups& all) const {
  all.make<NetworkStats>(kRequest);
  all.make<NetworkStats>(kReply);
  request_described_.design->declare(kRequest, all);
  reply_described_.design->declare(kReply, all);
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
  std::vector<mem::Identity> all = {
      {"packets into and out of the request network", request.injected, request.ejected},
      {"packets into and out of the reply network", reply.injected, reply.ejected}};
  for (mem::Identity& i : request_described_.design->identities(kRequest, s)) all.push_back(std::move(i));
  for (mem::Identity& i : reply_described_.design->identities(kReply, s)) all.push_back(std::move(i));
  return all;
}

std::vector<mem::Series> NetworkStage::series() const {
  return {{"request_network.flits", request_described_.flits_per_cycle},
          {"reply_network.flits", reply_described_.flits_per_cycle}};
}

std::vector<mem::Curve> NetworkStage::curves() const {
  using Of = mem::Curve::Of;
  return {{"request.use", "request network", "share of flits", "use", {"request_network.flits"}, Of::Most},
          {"reply.use", "reply network", "share of flits", "use", {"reply_network.flits"}, Of::Most}};
}

mem::Picture NetworkStage::picture() const {
  return {{request_described_.line, reply_described_.line}, wires_};
}

std::vector<mem::Structure> NetworkStage::structures() const {
  return {request_described_.structure, reply_described_.structure};
}

void NetworkStage::collect(stats::Groups& all) const {
  all.add(kRequest, request_->statistics());
  all.add(kReply, reply_->statistics());
  request_->collect(kRequest, all);
  reply_->collect(kReply, all);
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

NetworkStage::Described describe(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan) {
  const Frequency clock = frequency_of(spec, place);
  mem::Structure structure = spec.design->structure(spec, place, plan);
  structure.name = place.name;
  return {fmt::format("{}: {}, {} per port and cycle at {}", place.name, spec.design->shape(place),
                      to_string(spec.packet.flit), to_string(clock)),
          spec.design->peak_flits(place) * static_cast<double>(clock.count()) /
              static_cast<double>(place.core.count()),
          spec.design, std::move(structure)};
}

}  // namespace heddle::noc
