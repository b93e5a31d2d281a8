#include "noc/network_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::noc {

namespace {

// "request_network" as people write it.
std::string in_words(std::string_view group) {
  std::string text(group);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace

NetworkStage::NetworkStage(const Names& names, Described request, Described reply,
                           const mem::Picture::Wires& wires)
    : names_(names),
      request_described_(std::move(request)),
      reply_described_(std::move(reply)),
      wires_(wires) {}

void NetworkStage::declare(stats::Groups& all) const {
  all.make<NetworkStats>(names_.request);
  all.make<NetworkStats>(names_.reply);
  request_described_.design->declare(names_.request, all);
  reply_described_.design->declare(names_.reply, all);
  if (request_described_.merging) request_described_.merging->declare(all);
}

mem::Edges NetworkStage::edges(const stats::Groups& s) const {
  const NetworkStats &request = s.get<NetworkStats>(names_.request),
                     &reply = s.get<NetworkStats>(names_.reply);
  mem::Edges e;
  e.requests_in = request.injected;
  e.requests_out = request.ejected;
  e.answers_in = reply.injected;
  e.answers_out = reply.ejected;
  return e;
}

std::vector<mem::Identity> NetworkStage::identities(const stats::Groups& s) const {
  const NetworkStats &request = s.get<NetworkStats>(names_.request),
                     &reply = s.get<NetworkStats>(names_.reply);
  std::vector<mem::Identity> all = {
      {"packets into and out of the " + in_words(names_.request), request.injected, request.ejected},
      {"packets into and out of the " + in_words(names_.reply), reply.injected, reply.ejected}};
  for (mem::Identity& i : request_described_.design->identities(names_.request, s))
    all.push_back(std::move(i));
  for (mem::Identity& i : reply_described_.design->identities(names_.reply, s)) all.push_back(std::move(i));
  if (request_described_.merging)
    for (mem::Identity& i : request_described_.merging->identities(s)) all.push_back(std::move(i));
  return all;
}

void NetworkStage::funnel(const stats::Groups& s, mem::Funnel& f) const {
  if (request_described_.merging) request_described_.merging->funnel(s, f);
}

std::vector<mem::Series> NetworkStage::series() const {
  const auto flits = [](const char* group) { return std::string(group) + ".flits"; };
  return {{flits(names_.request), request_described_.flits_per_cycle},
          {flits(names_.reply), reply_described_.flits_per_cycle}};
}

std::vector<mem::Curve> NetworkStage::curves() const {
  using Of = mem::Curve::Of;
  const auto use = [](const char* name, const char* group) {
    return mem::Curve{name,    in_words(group), "share of flits", "use", {std::string(group) + ".flits"},
                      Of::Most};
  };
  return {use(names_.request_use, names_.request), use(names_.reply_use, names_.reply)};
}

mem::Picture NetworkStage::picture() const {
  return {{request_described_.line, reply_described_.line}, wires_};
}

// Flits no wider than a sector are full, but for the last of a packet. Wider ones count by what they carry:
// headers and sectors.
static mem::Counts carried(const NetworkStage::Described& network, const char* group,
                           std::initializer_list<const char*> sectors) {
  const double flit = static_cast<double>(network.packet.flit.count());
  if (flit <= mem::kSectorBytes || sectors.size() == 0) return {{std::string(group) + ".flits"}};
  mem::Counts all = {
      {std::string(group) + ".ejected", static_cast<double>(network.packet.header.count()) / flit}};
  for (const char* statistic : sectors) all.push_back({statistic, mem::kSectorBytes / flit});
  return all;
}

// Topologies name statistics within their network (noc/topology.h).
static void in_group(mem::Counts& counts, const char* group) {
  for (mem::Count& c : counts) c.statistic.insert(0, group);
}

// Of all routers, from what it is in one.
static mem::Structure merging_of(const NetworkSpec& spec, const NetworkPlace& place,
                                 const mem::Structure& network) {
  std::uint32_t routers = 0;
  for (const mem::CrossbarPart& p : network.crossbars) routers += p.count;
  mem::Structure all = spec.merging->hardware(
      {routers, static_cast<std::uint32_t>(place.out.size()) * place.map.spec().banks});
  all.name = "routers' mergers";
  all.region = mem::Region::Merging;
  for (mem::TablePart& t : all.tables) t.count *= routers;
  for (mem::ArrayPart& a : all.arrays) a.count *= routers;
  return all;
}

std::vector<mem::Structure> NetworkStage::structures() const {
  std::vector<mem::Structure> both = {request_described_.structure, reply_described_.structure};
  both[0].flits = carried(request_described_, names_.request, names_.data_sent);
  both[1].flits = carried(reply_described_, names_.reply, names_.data_received);
  for (const auto& [s, group] : {std::pair{&both[0], names_.request}, {&both[1], names_.reply}}) {
    s->region = names_.region;
    for (mem::CrossbarPart& p : s->crossbars) in_group(p.flits, group);
    for (mem::LinkPart& p : s->links) in_group(p.flits, group);
  }
  for (const Described* d : {&request_described_, &reply_described_})
    both.insert(both.end(), d->beside.begin(), d->beside.end());
  return both;
}

void NetworkStage::collect(stats::Groups& all) const {
  all.add(names_.request, request_->statistics());
  all.add(names_.reply, reply_->statistics());
  request_->collect(names_.request, all);
  reply_->collect(names_.reply, all);
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
  std::vector<mem::Structure> beside;
  if (spec.merging) beside.push_back(merging_of(spec, place, structure));
  return {fmt::format("{}: {}, {} per port and cycle at {}", place.name, spec.design->shape(place),
                      to_string(spec.packet.flit), to_string(clock)),
          spec.design->peak_flits(place) * static_cast<double>(clock.count()) /
              static_cast<double>(place.core.count()),
          spec.design,
          std::move(structure),
          spec.merging,
          spec.packet,
          std::move(beside)};
}

}  // namespace heddle::noc
