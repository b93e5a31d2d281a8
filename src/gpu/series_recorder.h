// Counters of the whole machine over time, in at most so many samples however long the run is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/unit.h"

namespace heddle::gpu {

using SeriesCounts = std::vector<std::uint64_t>;  // in the order of the machine's series

struct SeriesSample {
  sim::Cycle from = 0, until = 0;
  SeriesCounts in;  // what happened in [from, until)
};

// Reads the counters at the first window's end at or after every multiple of an interval. When there are
// kMostSamples, neighbours become one and the interval doubles. Launches follow each other without a gap, and
// a sample may span several.
class SeriesRecorder final : public sim::Between {
 public:
  static constexpr std::size_t kMostSamples = 256;
  static constexpr sim::Cycle kFirstInterval = 256;

  // Counters since the launch began; `now`: also what has not been written down yet by units that sleep.
  using Read = std::function<SeriesCounts(sim::Cycle now)>;
  // `count`: of the series.
  SeriesRecorder(Read read, std::size_t count) : read_(std::move(read)), carried_(count), told_(count) {}

  sim::Cycle window_end(sim::Cycle now) override {
    if (now >= due_) take(now);
    return sim::kNever;
  }
  // A launch has ended at `now` with these counters; they will be cleared for the next one.
  void launch_end(sim::Cycle now, const SeriesCounts& counted);
  // Between launches: all samples. They add up to the counters of all launches, and end with the last one.
  std::vector<SeriesSample> samples() const;

 private:
  void take(sim::Cycle now);
  void halve();

  Read read_;
  sim::Cycle interval_ = kFirstInterval, due_ = kFirstInterval;
  sim::Cycle last_ = 0, ended_ = 0;  // the last sample; the last launch
  SeriesCounts carried_;             // of launches that have ended
  SeriesCounts told_;                // what the samples add up to
  std::vector<SeriesSample> samples_;
};

}  // namespace heddle::gpu
