// A program on a simulated machine: `heddle run`, and what `heddle funnel` draws.
#pragma once

#include "apps/cli/commands/commands.h"
#include "gpu/cta_spans.h"

namespace heddle::cli {

// What `options` name, talking to people on standard output unless the record goes there.
ChosenWorkload chosen_workload(const RunOptions& options);

inline constexpr int kCycleLimitStatus = 4, kInterruptedStatus = 130;

// Device printf goes where the host's output goes.
class StdoutSink final : public exec::OutputSink {
 public:
  void write(const std::string& text) override;
};

// Tells on standard error that a run ended early.
void warn_if_partial(const study::TimingRecord& record);

class TimingRun {
 public:
  TimingRun(const RunOptions& options, exec::OutputSink& output) : options_(options), output_(output) {}
  // Simulates and reports as OutputOptions ask. The exit status.
  int run();
  // Simulates only: everything but the report.
  int simulate(study::TimingRecord& record);

 private:
  void write_page(const study::TimingRecord& record) const;
  void write_series(const gpu::TimingDevice& device, const gpu::CtaSpans& spans) const;

  const RunOptions& options_;
  exec::OutputSink& output_;
  std::string detail_;  // for the page
};

}  // namespace heddle::cli
