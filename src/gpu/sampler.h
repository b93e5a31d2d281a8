// A few counters of the whole machine as a series over time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/unit.h"

namespace heddle::gpu {

// Since the launch began, but for resident_warps, which is as of now. Plain sums over the parts of a machine:
// reading them must be cheap, because it happens every few hundred cycles.
struct SampledCounters {
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t l1_reads = 0, l1_read_hits = 0;
  std::uint64_t request_flits = 0, reply_flits = 0;
  std::uint64_t l2_reads = 0, l2_read_hits = 0;
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  std::uint64_t resident_warps = 0;

  // What happened between two readings.
  SampledCounters since(const SampledCounters& before) const;
};

struct Sample {
  std::uint64_t launch = 0;
  sim::Cycle from = 0, until = 0;      // core cycles, launch overhead not included
  SampledCounters in;                  // what happened in [from, until)
  std::vector<std::uint64_t> watched;  // the same for further statistics, as MachineOptions::watch names them
};

// Reads the counters at the first window's end at or after every `every` cycles of a launch, and at the
// launch's end. Where the engine jumps over cycles in which nobody does anything, a sample spans more: its
// `from` and `until` tell. Samples of a launch have no gap between them and add up to its counters.
class Sampler final : public sim::Between {
 public:
  using Watched = std::vector<std::uint64_t>;
  // `watch`, if given, reads further counters; that may be slow.
  Sampler(sim::Cycle every, std::function<SampledCounters()> read, std::function<Watched()> watch = {});

  void begin(std::uint64_t launch, sim::Cycle now);  // counters have been cleared
  void end(sim::Cycle now);
  sim::Cycle window_end(sim::Cycle now) override;
  std::span<const Sample> samples() const { return samples_; }

 private:
  void take(sim::Cycle now);

  sim::Cycle every_;
  std::function<SampledCounters()> read_;
  std::function<Watched()> watch_;
  std::uint64_t launch_ = 0;
  sim::Cycle last_ = 0, due_ = sim::kNever;
  SampledCounters before_;
  Watched watched_before_;
  std::vector<Sample> samples_;
};

}  // namespace heddle::gpu
