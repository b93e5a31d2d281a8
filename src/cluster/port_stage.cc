#include "cluster/port_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::cluster {

namespace {

constexpr const char *kPort = "cluster", *kMerger = "merger", *kLocality = "locality",
                     *kPortMeter = "potential.cluster";

}  // namespace

PortStage::PortStage(const ClusterSpec& spec, std::uint32_t clusters, const MergerKind& kind,
                     std::unique_ptr<MissMerger> merger, const mem::Picture::Wires& wires)
    : spec_(spec), clusters_(clusters), kind_(kind), merger_(std::move(merger)), wires_(wires) {}

void PortStage::declare(stats::Groups& all) const {
  all.make<ClusterStats>(kPort);
  all.make<MergerStats>(kMerger);
  merger_->collect(all);
}

void PortStage::declare_meters(stats::Groups& all) const {
  all.make<mem::LocalityStats>(kLocality);
  all.make(kPortMeter, mem::PotentialLevel{"requests", "that clusters took from their SMs"});
}

mem::Edges PortStage::edges(const stats::Groups& s) const {
  const ClusterStats& port = s.get<ClusterStats>(kPort);
  mem::Edges e;
  e.requests_in = port.requests;
  e.requests_out = port.injected;
  e.answers_in = port.replies;
  e.loads_in = port.global_reads;
  e.loads_out = port.global_reads_injected;
  return e;
}

std::vector<mem::Identity> PortStage::identities(const stats::Groups& s) const {
  const ClusterStats& port = s.get<ClusterStats>(kPort);
  const MergerStats& m = s.get<MergerStats>(kMerger);
  std::vector<mem::Identity> all = {
      {"requests at clusters and at mergers", port.requests, m.offered},
      {"requests at mergers and their outcomes", m.offered, m.forwarded + m.merged + m.held},
      {"requests offered to mergers and their answers", m.offered, m.answers},
      {"requests forwarded by mergers and replies to them", m.forwarded, m.replies},
      {"global reads at clusters and their outcomes", port.global_reads,
       port.global_reads_forwarded + m.merged + m.held},
      {"global reads forwarded by clusters and injected", port.global_reads_forwarded,
       port.global_reads_injected}};
  for (mem::Identity& i : merger_->identities(s)) all.push_back(std::move(i));
  return all;
}

void PortStage::funnel(const stats::Groups& s, mem::Funnel& f) const {
  const ClusterStats& port = s.get<ClusterStats>(kPort);
  const MergerStats& m = s.get<MergerStats>(kMerger);
  const std::size_t in = f.last();
  if (f.measured) f.levels[in].could_merge = s.get<mem::PotentialLevel>(kPortMeter).could_merge;
  mem::FunnelPlace place{std::string(name()), in, 0, {}};
  place.out = f.add({"after the cluster", "requests", "the clusters' mergers", port.global_reads_forwarded});
  if (!kind_.merged_by.empty()) place.parts.push_back({std::string(kind_.merged_by), m.merged});
  if (!kind_.held_by.empty()) place.parts.push_back({std::string(kind_.held_by), m.held});
  f.places.push_back(std::move(place));
  f.add({"NoC packets", "packets", "bundling", port.global_reads_injected});
}

std::vector<mem::Series> PortStage::series() const {
  return {{"merger.offered"}, {"merger.merged"}, {"merger.held"}};
}

std::vector<mem::Curve> PortStage::curves() const {
  return {{"cluster.merged",
           "merged or held at the clusters' ports",
           "share of requests",
           "hits",
           {"merger.merged", "merger.held"},
           mem::Curve::Of::Others,
           {"merger.offered"}}};
}

mem::Picture PortStage::picture() const {
  return {
      {fmt::format(
           "{} cluster ports: {} per cycle, merger '{}', injection buffer of {}", clusters_,
           spec_.requests_per_cycle == 0 ? "any number" : counted(spec_.requests_per_cycle, "request"),
           kind_.name, spec_.injection_buffer),
       fmt::format("  back: response FIFO of {}, {} per cycle", spec_.response_fifo,
                   spec_.responses_per_cycle == 1 ? "1 reply"
                                                  : fmt::format("{} replies", spec_.responses_per_cycle))},
      wires_};
}

std::vector<mem::Structure> PortStage::structures() const {
  mem::Structure s{"clusters' mergers"};
  s.region = mem::Region::Merging;
  s.tables = merger_->tables();
  if (s.tables.empty()) return {};
  for (mem::TablePart& t : s.tables) t.count *= clusters_;
  return {s};
}

void PortStage::collect(stats::Groups& all) const {
  for (const ClusterPort* p : ports_) {
    all.add(kPort, p->statistics());
    all.add(kMerger, p->merger().statistics());
    p->merger().collect(all);
  }
}

void PortStage::collect_meters(stats::Groups& all) const {
  auto& potential = all.make<mem::PotentialLevel>(kPortMeter);
  for (const ClusterPort* p : ports_) {
    if (p->locality() != nullptr) all.add(kLocality, p->locality()->statistics());
    if (p->potential() != nullptr) potential += p->potential()->statistics();
  }
}

void PortStage::clear_statistics() {
  for (ClusterPort* p : ports_) {
    p->clear_statistics();
    p->merger().clear_statistics();
  }
}

void PortStage::read_series(sim::Cycle, std::uint64_t* into) const {
  std::fill_n(into, 3, 0);
  for (const ClusterPort* p : ports_) {
    const MergerStats& m = p->merger().statistics();
    into[0] += m.offered;
    into[1] += m.merged;
    into[2] += m.held;
  }
}

bool PortStage::idle() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const ClusterPort* p) { return p->in_flight() == 0; });
}

void PortStage::kernel_end() {
  for (ClusterPort* p : ports_) p->merger().kernel_end();
}

}  // namespace heddle::cluster
