// What a machine collects for pictures (gpu/detail.h).
#include <algorithm>
#include <utility>

#include "gpu/machine.h"

namespace heddle::gpu {

using sim::Cycle;

void Machine::prepare_detail() {
  detail_ = std::make_unique<DetailRecorders>([this](Cycle now) { return course_counts(now); }, spec_.sms(),
                                              options_.observer);
}

sm::CtaObserver* Machine::observer() const {
  return detail_ != nullptr ? &detail_->ctas : options_.observer;
}

void Machine::measure_detail() {
  for (auto& c : clusters_) c->count_traffic(spec_.slices());
  for (auto& p : partitions_) p->count_banks();
  engine_.between(detail_->course);
}

CourseCounts Machine::course_counts(Cycle now) const {
  CourseCounts c;
  for (const auto& t : tiles_) {
    const sm::SmStats s = std::as_const(*t).sm().settled(now);
    const cache::L1Cache& l1 = std::as_const(*t).l1();
    c[Course::Instructions] += s.instructions;
    c[Course::Issuing] += s.issuing_cycles;
    c[Course::StallMemory] += s.stall_memory;
    c[Course::StallDependency] += s.stall_dependency;
    c[Course::StallUnit] += s.stall_unit;
    c[Course::StallLsu] += s.stall_lsu;
    c[Course::StallBarrier] += s.stall_barrier;
    c[Course::StallDrain] += s.stall_drain;
    c[Course::L1Requests] += s.requests_sent;
    c[Course::L1Reads] += l1.statistics().reads.in;
    c[Course::L1ReadHits] += l1.statistics().reads.hits;
    c[Course::MshrCycles] += l1.mshr_cycles(now);
  }
  for (const auto& port : clusters_) {
    const cluster::MergerStats& m = std::as_const(*port).merger().statistics();
    c[Course::Offered] += m.offered;
    c[Course::Merged] += m.merged;
    c[Course::Held] += m.held;
  }
  c[Course::RequestFlits] = request_network_->statistics().flits;
  c[Course::ReplyFlits] = reply_network_->statistics().flits;
  for (const auto& p : partitions_) {
    for (std::uint32_t i = 0; i < p->slices(); ++i) {
      const cache::L2Stats& l2 = std::as_const(*p).slice(i).statistics();
      c[Course::L2Reads] += l2.reads.requests;
      c[Course::L2ReadHits] += l2.reads.hits;
      c[Course::L2PortCycles] += l2.port_cycles;
    }
    for (std::uint32_t i = 0; i < p->channels(); ++i) {
      const dram::DramStats& d = p->dram(i).statistics();
      c[Course::DramBusy] += d.busy_ticks;
      c[Course::DramReadBytes] += d.read_bytes;
      c[Course::DramWriteBytes] += d.write_bytes;
      c[Course::RowHits] += d.row_hits;
      c[Course::RowMisses] += d.row_misses;
      c[Course::RowConflicts] += d.row_conflicts;
    }
  }
  return c;
}

void Machine::detail_launch_end(const BatchResult& result) {
  DetailRecorders& d = *detail_;
  for (const LaunchResult& k : result.kernels) d.launches.push_back({k.kernel, k.start, k.start + k.cycles});
  d.ended = engine_.now();
  d.course.launch_end(d.ended);
  d.ctas.launch_end(d.launches, d.ended);
}

namespace {

// What a core cycle can have at most, by the description.
std::array<double, kCourses> capacity_of(const GpuSpec& spec, const mem::AddressMap& map) {
  const auto core = static_cast<double>(spec.gpu.clock.count());
  const auto per_core_cycle = [&](Frequency clock) {
    return clock.count() == 0 ? 1 : static_cast<double>(clock.count()) / core;
  };
  const double sms = spec.sms(), slices = spec.slices();
  const auto flits = [&](const noc::NetworkSpec& n, noc::Direction direction) {
    return n.design->peak_flits(spec.network_place(direction, map)) * per_core_cycle(n.clock);
  };
  const dram::DramSpec& dram = spec.partition.dram;
  std::array<double, kCourses> most = {};
  const auto set = [&](Course c, double n) { most[static_cast<std::size_t>(c)] = n; };
  set(Course::Instructions, sms * spec.sm.schedulers * spec.sm.issue_width);
  for (const Course c : {Course::Issuing, Course::StallMemory, Course::StallDependency, Course::StallUnit,
                         Course::StallLsu, Course::StallBarrier, Course::StallDrain, Course::L1Requests})
    set(c, sms);
  set(Course::MshrCycles, sms * spec.l1.mshr_entries);
  set(Course::RequestFlits, flits(spec.noc.request, noc::Direction::Request));
  set(Course::ReplyFlits, flits(spec.noc.reply, noc::Direction::Reply));
  set(Course::L2PortCycles,
      slices * (spec.l2().own_fill_port ? 2 : 1) * per_core_cycle(spec.partition.l2_clock));
  set(Course::DramBusy, static_cast<double>(spec.memory.partitions) * spec.partition.channels * dram.pseudo_channels *
                            per_core_cycle(dram.clock));
  return most;
}

}  // namespace

std::optional<RunDetail> Machine::detail() const {
  if (detail_ == nullptr) return {};
  RunDetail d;
  d.cycles = detail_->ended;
  d.launches = detail_->launches;
  d.series = detail_->course.samples();
  d.capacity = capacity_of(spec_, map_);
  d.sms = spec_.sms();
  d.ctas = detail_->ctas.kept();
  d.ctas_of = detail_->ctas.of();
  d.requests = d.replies = Grid(spec_.gpu.clusters, spec_.memory.partitions);
  for (std::uint32_t c = 0; c < d.requests.rows; ++c) {
    const cluster::ClusterPort::Traffic& t = *clusters_[c]->traffic();
    for (std::uint32_t s = 0; s < spec_.slices(); ++s) {
      d.requests.at(c, map_.partition_of(s)) += t.requests[s];
      d.replies.at(c, map_.partition_of(s)) += t.replies[s];
    }
  }
  const std::uint32_t channels = spec_.partition.channels;
  d.row_hits = d.row_accesses = Grid(spec_.memory.partitions * channels, spec_.partition.dram.banks);
  for (std::uint32_t r = 0; r < d.row_hits.rows; ++r) {
    const dram::BankCounts& b = *partitions_[r / channels]->dram(r % channels).banks();
    for (std::uint32_t k = 0; k < d.row_hits.columns; ++k) {
      d.row_hits.at(r, k) = b.hits[k];
      d.row_accesses.at(r, k) = b.accesses[k];
    }
  }
  return d;
}

}  // namespace heddle::gpu
