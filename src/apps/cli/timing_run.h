// `heddle run` on a simulated machine.
#pragma once

#include "apps/cli/commands.h"
#include "apps/cli/timing_record.h"
#include "gpu/cta_spans.h"

namespace heddle::cli {

// Runs what `options` name on `device` and says in `head` what it was and whether the result is right. The
// exit status: 0, or 1 when a result is wrong. May throw what the device's launch() throws.
int run_on(const RunOptions& options, workload::Device& device, RunHead& head);

inline constexpr int kCycleLimitStatus = 4, kInterruptedStatus = 130;

class TimingRun {
 public:
  TimingRun(const RunOptions& options, exec::OutputSink& output) : options_(options), output_(output) {}
  int run();

 private:
  void write_series(const gpu::TimingDevice& device, const gpu::CtaSpans& spans) const;

  const RunOptions& options_;
  exec::OutputSink& output_;
};

}  // namespace heddle::cli
