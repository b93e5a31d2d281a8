#include "gpu/series_recorder.h"

#include <algorithm>

namespace heddle::gpu {

using sim::Cycle;

// A unit that sleeps says what it will write down if it wakes as it is; rarely it then writes less. What was
// told too much is made up for by the samples that follow.
void SeriesRecorder::take(Cycle now) {
  const SeriesCounts read = read_(now);
  SeriesSample& s = samples_.emplace_back();
  s.from = last_;
  s.until = now;
  s.in.resize(read.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::uint64_t all = std::max(told_[i], carried_[i] + read[i]);
    s.in[i] = all - told_[i];
    told_[i] = all;
  }
  last_ = now;
  if (samples_.size() == kMostSamples) halve();
  due_ = (now / interval_ + 1) * interval_;
}

void SeriesRecorder::halve() {
  for (std::size_t i = 0; i < kMostSamples / 2; ++i) {
    SeriesSample both = samples_[2 * i];
    const SeriesSample& second = samples_[2 * i + 1];
    both.until = second.until;
    for (std::size_t k = 0; k < both.in.size(); ++k) both.in[k] += second.in[k];
    samples_[i] = both;
  }
  samples_.resize(kMostSamples / 2);
  interval_ *= 2;
}

void SeriesRecorder::launch_end(Cycle now, const SeriesCounts& counted) {
  for (std::size_t i = 0; i < counted.size(); ++i) carried_[i] += counted[i];
  ended_ = now;
}

std::vector<SeriesSample> SeriesRecorder::samples() const {
  std::vector<SeriesSample> all = samples_;
  if (ended_ > last_) all.push_back({last_, ended_, SeriesCounts(carried_.size())});
  if (all.empty()) return all;
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    if (carried_[i] >= told_[i]) {
      all.back().in[i] += carried_[i] - told_[i];
      continue;
    }
    std::uint64_t too_much = told_[i] - carried_[i];
    for (auto s = all.rbegin(); too_much != 0; ++s) {
      const std::uint64_t part = std::min(too_much, s->in[i]);
      s->in[i] -= part;
      too_much -= part;
    }
  }
  return all;
}

}  // namespace heddle::gpu
