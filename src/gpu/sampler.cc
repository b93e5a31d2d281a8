#include "gpu/sampler.h"

namespace heddle::gpu {

SampledCounters SampledCounters::since(const SampledCounters& before) const {
  SampledCounters d;
  d.instructions = instructions - before.instructions;
  d.l1_reads = l1_reads - before.l1_reads;
  d.l1_read_hits = l1_read_hits - before.l1_read_hits;
  d.request_flits = request_flits - before.request_flits;
  d.reply_flits = reply_flits - before.reply_flits;
  d.l2_reads = l2_reads - before.l2_reads;
  d.l2_read_hits = l2_read_hits - before.l2_read_hits;
  d.dram_read_bytes = dram_read_bytes - before.dram_read_bytes;
  d.dram_write_bytes = dram_write_bytes - before.dram_write_bytes;
  d.resident_warps = resident_warps;
  return d;
}

Sampler::Sampler(sim::Cycle every, std::function<SampledCounters()> read, std::function<Watched()> watch)
    : every_(every), read_(std::move(read)), watch_(std::move(watch)) {}

void Sampler::begin(std::uint64_t launch, sim::Cycle now) {
  launch_ = launch;
  last_ = now;
  due_ = now + every_;
  before_ = {};
  watched_before_.assign(watched_before_.size(), 0);
}

void Sampler::end(sim::Cycle now) {
  if (now > last_) take(now);
  due_ = sim::kNever;
}

sim::Cycle Sampler::window_end(sim::Cycle now) {
  if (now >= due_) take(now);
  return sim::kNever;
}

void Sampler::take(sim::Cycle now) {
  const SampledCounters counters = read_();
  samples_.push_back({launch_, last_, now, counters.since(before_), {}});
  if (watch_) {
    Watched values = watch_();
    watched_before_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      samples_.back().watched.push_back(values[i] - watched_before_[i]);
    watched_before_ = std::move(values);
  }
  before_ = counters;
  last_ = now;
  // The next boundary after `now`, so that samples stay on the grid after a long window.
  if (now >= due_) due_ += ((now - due_) / every_ + 1) * every_;
}

}  // namespace heddle::gpu
