// The detail of a run: what pictures show beside its statistics. Counters over time, where and when CTAs ran,
// which clusters and partitions sent each other packets, how the banks of DRAM did.
//
// Collecting it changes no result, and what it takes does not grow with the length of a run, but for one line
// per launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/cta_spans.h"
#include "gpu/series_recorder.h"
#include "mem/stage.h"

namespace heddle::gpu {

// Numbers by row and column.
struct Grid {
  std::uint32_t rows = 0, columns = 0;
  std::vector<std::uint64_t> values;  // row after row
  Grid() = default;
  Grid(std::uint32_t r, std::uint32_t c) : rows(r), columns(c), values(std::size_t{r} * c) {}
  std::uint64_t& at(std::uint32_t r, std::uint32_t c) { return values[std::size_t{r} * columns + c]; }
  std::uint64_t at(std::uint32_t r, std::uint32_t c) const { return values[std::size_t{r} * columns + c]; }
};

struct RunDetail {
  struct Launch {
    std::string kernel;
    sim::Cycle from = 0, until = 0;
  };
  struct Cta {
    std::uint32_t launch = 0, sm = 0;
    std::uint64_t cta = 0;
    sim::Cycle from = 0, until = 0;
  };

  sim::Cycle cycles = 0;              // of all launches, one after the other, launch overhead included
  std::vector<Launch> launches;       // in order
  std::vector<mem::Series> series;    // what is kept over time
  std::vector<SeriesSample> samples;  // of all of them
  std::uint32_t sms = 0;
  std::vector<Cta> ctas;        // every n-th, in the order of their starts
  std::uint64_t ctas_of = 0;    // how many there were
  Grid requests, replies;       // packets: clusters x memory partitions
  Grid row_hits, row_accesses;  // transfers: DRAM channels x banks
};

// Keeps every n-th CTA, n doubling as there are more; which ones does not depend on host threads.
class CtaKeeper final : public sm::CtaObserver {
 public:
  static constexpr std::size_t kMost = 4096;

  // `next`, if given, hears the same.
  CtaKeeper(std::uint32_t sms, sm::CtaObserver* next) : sms_(sms), spans_(sms), next_(next) {}
  void cta_started(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, sim::Cycle now) override;
  void cta_ended(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, sim::Cycle now) override;

  // Launches have ended at `now`: what they were is known, their CTAs are looked through.
  void launch_end(const std::vector<RunDetail::Launch>& launches, sim::Cycle now);
  const std::vector<RunDetail::Cta>& kept() const { return kept_; }
  std::uint64_t of() const { return of_; }

 private:
  std::uint32_t sms_;
  CtaSpans spans_;  // of the launches under way
  sm::CtaObserver* next_;
  std::vector<RunDetail::Cta> kept_;
  std::uint64_t every_ = 1, of_ = 0;
};

// What a machine has while it collects.
struct DetailRecorders {
  DetailRecorders(SeriesRecorder::Read read, std::size_t count, std::uint32_t sms, sm::CtaObserver* next)
      : series(std::move(read), count), ctas(sms, next) {}
  SeriesRecorder series;
  CtaKeeper ctas;
  std::vector<RunDetail::Launch> launches;
  sim::Cycle ended = 0;  // the last launch
};

}  // namespace heddle::gpu
