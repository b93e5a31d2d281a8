// `heddle run` on a simulated machine.
#pragma once

#include "apps/cli/commands.h"
#include "gpu/cta_spans.h"

namespace heddle::cli {

// What `options` name, talking to people on standard output unless the record goes there.
Subject subject_of(const RunOptions& options);

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
