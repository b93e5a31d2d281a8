// What a machine counts: clearing, adding up, and the check that nothing got lost.
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/funnel.h"
#include "gpu/machine.h"
#include "stats/snapshot.h"

namespace heddle::gpu {

void Machine::clear_statistics() {
  for (auto& t : tiles_) {
    t->sm().clear_statistics();
    t->l1().clear_statistics();
    if (hierarchy::SmTile::Meters* m = t->meters()) {
      m->line_requests.clear_statistics();
      m->l1_misses.clear_statistics();
    }
  }
  for (auto& c : clusters_) {
    c->clear_statistics();
    c->merger().clear_statistics();
  }
  for (auto& p : partitions_) p->clear_statistics();
  request_network_->clear_statistics();
  reply_network_->clear_statistics();
}

std::uint64_t Machine::instructions() const {
  std::uint64_t n = 0;
  for (const auto& t : tiles_) n += std::as_const(*t).sm().statistics().instructions;
  return n;
}

std::span<const Sample> Machine::samples() const {
  if (sampler_ == nullptr) return {};
  return sampler_->samples();
}

SampledCounters Machine::sampled() const {
  SampledCounters c;
  for (const auto& t : tiles_) {
    const hierarchy::SmTile& tile = *t;
    const cache::L1Stats& l1 = tile.l1().statistics();
    c.instructions += tile.sm().statistics().instructions;
    c.resident_warps += tile.sm().resident_warps();
    c.l1_reads += l1.reads.in;
    c.l1_read_hits += l1.reads.hits;
  }
  c.request_flits = request_network_->statistics().flits;
  c.reply_flits = reply_network_->statistics().flits;
  for (const auto& p : partitions_) {
    for (std::uint32_t i = 0; i < p->slices(); ++i) {
      const cache::L2Stats& l2 = std::as_const(*p).slice(i).statistics();
      c.l2_reads += l2.reads.requests;
      c.l2_read_hits += l2.reads.hits;
    }
    for (std::uint32_t i = 0; i < p->channels(); ++i) {
      const dram::DramStats& d = p->dram(i).statistics();
      c.dram_read_bytes += d.read_bytes;
      c.dram_write_bytes += d.write_bytes;
    }
  }
  return c;
}

// A difference means something for what counts events, not for peaks and ratios.
void Machine::check_watched() const {
  stats::Snapshot all;
  all.add("", MachineStats{});
  for (const std::string& name : options_.watch) {
    all.count(name);  // throws for an unknown one
    if (all.find(name)->info.kind != stats::Kind::Counter)
      throw Error(fmt::format("'{}' does not count events, so it has no course over time", name),
                  "Watch a counter: heddle explain --all lists them.");
  }
}

std::vector<std::uint64_t> Machine::watched() const {
  stats::Snapshot all;
  all.add("", collect());
  std::vector<std::uint64_t> values;
  for (const std::string& name : options_.watch) values.push_back(all.count(name));
  return values;
}

MachineStats Machine::collect() const {
  MachineStats s;
  for (const auto& t : tiles_) {
    stats::accumulate(s.sm, t->sm().statistics());
    stats::accumulate(s.l1, static_cast<const cache::L1Cache&>(t->l1()).statistics());
  }
  for (const auto& c : clusters_) {
    stats::accumulate(s.cluster, c->statistics());
    stats::accumulate(s.merger, c->merger().statistics());
    if (c->locality() != nullptr) stats::accumulate(s.locality, c->locality()->statistics());
  }
  s.request_network = request_network_->statistics();
  s.reply_network = reply_network_->statistics();
  for (const auto& p : partitions_) {
    stats::accumulate(s.partition, p->statistics());
    for (std::uint32_t i = 0; i < p->slices(); ++i) stats::accumulate(s.l2, p->slice(i).statistics());
    for (std::uint32_t i = 0; i < p->channels(); ++i) stats::accumulate(s.dram, p->dram(i).statistics());
  }
  if (spec_.measure.funnel) collect_potential(s.potential);
  return s;
}

void Machine::collect_potential(PotentialLevels& sum) const {
  const auto add = [](mem::PotentialStats& to, const mem::PotentialMeter& meter) {
    to.requests += meter.statistics().requests;
    to.could_merge += meter.statistics().could_merge;
  };
  for (const auto& t : tiles_) {
    const hierarchy::SmTile::Meters& m = *std::as_const(*t).meters();
    add(sum.line_requests, m.line_requests);
    add(sum.l1_misses, m.l1_misses);
  }
  for (const auto& c : clusters_) add(sum.cluster, *c->potential());
  for (const auto& p : partitions_) {
    const hierarchy::Partition::Meters& m = *p->meters();
    for (const mem::PotentialMeter& slice : m.packets) add(sum.network, slice);
    for (const mem::PotentialMeter& slice : m.l2_misses) add(sum.l2_misses, slice);
    add(sum.rows, m.rows);
  }
}

// Counted at both ends of every link: nothing is lost, nothing answered twice.
void Machine::check_conservation(const MachineStats& s, const std::string& kernel) const {
  auto equal = [&](std::uint64_t a, std::uint64_t b, std::string_view what) {
    if (a != b)
      throw Error(fmt::format("conservation violated in kernel '{}': {}: {} and {}", kernel, what, a, b),
                  "This is a defect of the simulator; please report it with the command that shows it.");
  };
  equal(s.sm.requests_sent, s.sm.hits_at_once + s.sm.replies_received, "requests of SMs and answers");
  equal(s.l1.reads.in + s.l1.writes.in + s.l1.atomics.in, s.sm.requests_sent, "requests at L1s and of SMs");
  equal(s.l1.reads.in, s.l1.reads.outcomes(), "L1 reads and their outcomes");
  equal(s.l1.writes.in, s.l1.writes.outcomes(), "L1 writes and their outcomes");
  equal(s.l1.atomics.in, s.l1.atomics.outcomes(), "L1 atomics and their outcomes");
  equal(s.cluster.requests, s.merger.offered, "requests at clusters and at mergers");
  equal(s.merger.offered, s.merger.forwarded + s.merger.merged + s.merger.held,
        "requests at mergers and their outcomes");
  equal(s.cluster.injected, s.request_network.injected, "packets of clusters and in the request network");
  equal(s.request_network.injected, s.request_network.ejected, "packets into and out of the request network");
  equal(s.request_network.ejected, s.partition.packets_in,
        "packets of the request network and at partitions");
  equal(s.partition.packets_in, s.partition.packets_out, "packets into and out of partitions");
  equal(s.partition.packets_out, s.reply_network.injected, "packets of partitions and in the reply network");
  equal(s.reply_network.injected, s.reply_network.ejected, "packets into and out of the reply network");
  equal(s.reply_network.ejected, s.cluster.replies, "packets of the reply network and at clusters");
  for (const FunnelIdentity& i : funnel_identities(s)) equal(i.above, i.below, i.what);
}

}  // namespace heddle::gpu
