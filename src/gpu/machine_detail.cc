// What a machine collects for pictures (gpu/detail.h).
#include <algorithm>
#include <utility>

#include "gpu/machine.h"

namespace heddle::gpu {

using sim::Cycle;

namespace {

SeriesCounts with_energy(SeriesCounts counts, const energy::EnergyStats& energy) {
  for (const std::uint64_t pj : energy.over_time()) counts.push_back(pj);
  return counts;
}

}  // namespace

void Machine::prepare_detail() {
  const auto read = [this](Cycle now) { return with_energy(read_series(now), energy_so_far(now)); };
  const std::size_t count = series().size() + energy::EnergyStats::kOverTime;
  detail_ = std::make_unique<DetailRecorders>(read, count, spec_.sms(), options_.observer);
}

sm::CtaObserver* Machine::observer() const {
  return detail_ != nullptr ? &detail_->ctas : options_.observer;
}

void Machine::measure_detail() {
  for (auto& p : ports_) p->count_traffic(spec_.slices());
  for (auto& p : partitions_) p->count_banks();
  engine_.between(detail_->series);
}

std::vector<mem::Series> Machine::series() const {
  std::vector<mem::Series> all;
  for (const mem::Stage* stage : stages_.all())
    for (mem::Series& s : stage->series()) all.push_back(std::move(s));
  return all;
}

SeriesCounts Machine::read_series(Cycle now) const {
  SeriesCounts all;
  for (const mem::Stage* stage : stages_.all()) {
    const std::size_t at = all.size();
    all.resize(at + stage->series().size());
    stage->read_series(now, all.data() + at);
  }
  return all;
}

energy::EnergyStats Machine::energy_so_far(Cycle now) {
  MachineStats s = collect();
  s.gpu.picoseconds = spec_.gpu.picoseconds(now - launch_start_);
  return energy_.of(s);
}

void Machine::detail_launch_end(const BatchResult& result) {
  DetailRecorders& d = *detail_;
  for (const LaunchResult& k : result.kernels) d.launches.push_back({k.kernel, k.start, k.start + k.cycles});
  d.ended = engine_.now();
  d.series.launch_end(d.ended, with_energy(read_series(d.ended), result.stats.groups.get<energy::EnergyStats>(
                                                                     energy::EnergyStats::kGroup)));
  d.ctas.launch_end(d.launches, d.ended);
}

std::optional<RunDetail> Machine::detail() const {
  if (detail_ == nullptr) return {};
  RunDetail d;
  d.cycles = detail_->ended;
  d.launches = detail_->launches;
  d.series = series();
  for (const energy::OverTime& e : energy::energy_over_time()) d.series.push_back({e.statistic});
  d.samples = detail_->series.samples();
  d.sms = spec_.sms();
  d.ctas = detail_->ctas.kept();
  d.ctas_of = detail_->ctas.of();
  d.requests = d.replies = Grid(static_cast<std::uint32_t>(ports_.size()), spec_.memory.partitions);
  for (std::uint32_t c = 0; c < d.requests.rows; ++c) {
    const cluster::ClusterPort::Traffic& t = *ports_[c]->traffic();
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
