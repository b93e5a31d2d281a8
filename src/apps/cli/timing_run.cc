#include "apps/cli/timing_run.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <optional>

#include "apps/cli/interrupt.h"
#include "apps/cli/progress.h"
#include "apps/cli/timeline.h"
#include "base/error.h"
#include "base/file.h"

namespace heddle::cli {
namespace {

// The line that tells progress goes away before the kernel's own output appears.
class OutputAfterProgress final : public exec::OutputSink {
 public:
  OutputAfterProgress(exec::OutputSink& to, ProgressLine& line) : to_(to), line_(line) {}
  void write(const std::string& text) override {
    line_.clear();
    to_.write(text);
  }

 private:
  exec::OutputSink& to_;
  ProgressLine& line_;
};

int status_of(sim::EndReason end) {
  return end == sim::EndReason::Interrupted ? kInterruptedStatus : kCycleLimitStatus;
}

}  // namespace

int TimingRun::run() {
  const TimingOptions& t = options_.timing;
  GpuConfig gpu = load_gpu(options_.config);
  InterruptFlag interrupt;
  gpu::CtaSpans spans(gpu.spec.gpu.sms());
  const bool terminal = isatty(STDERR_FILENO) != 0;
  ProgressLine line(stderr, terminal);
  OutputAfterProgress output(output_, line);

  gpu::TimingOptions device_options;
  device_options.machine.threads = t.threads;
  if (t.max_cycles != 0) device_options.machine.max_cycles = t.max_cycles;
  device_options.machine.interrupt = &interrupt.raised();
  if (!t.timeline.empty()) device_options.machine.observer = &spans;
  if (!t.timeline.empty() || !t.series.empty()) device_options.machine.sample_every = t.sample;
  if (!t.watch.empty() && device_options.machine.sample_every == 0)
    throw Error("--watch without --timeline or --series", "Say where the course over time is to be written.");
  device_options.machine.watch = t.watch;
  device_options.recursive_stack = gpu.spec.functional.recursive_stack;
  device_options.output = &output;

  const study::HostMeter meter;
  const Subject subject = subject_of(options_);
  study::TimingRecord record;
  record.gpu = gpu.chosen;
  record.spec = gpu.spec.gpu;
  record.threads = t.threads;
  record.contents = subject.contents();
  record.configuration = gpu.config.dump(false);
  gpu::TimingDevice device(gpu.spec.gpu, device_options);
  if (t.progress || (terminal && !options_.output.quiet))
    device.machine().on_progress([&line](const gpu::Progress& p) { line.show(p); });
  int status = 0;
  try {
    study::run_workload(subject.workload(), subject.input(), device, record);
    status = record.verification.ok ? 0 : 1;
  } catch (const gpu::Stopped& stopped) {
    record.end = stopped.why;
    record.verified = false;
    status = status_of(stopped.why);
  }
  line.clear();
  meter.read(record.host);
  record.take(device);
  write_series(device, spans);
  report(record, options_.output, std::cout);
  if (!record.complete())
    std::cerr << (record.end == sim::EndReason::Interrupted
                      ? "heddle: interrupted; the statistics are partial\n"
                      : "heddle: stopped by --max-cycles; the statistics are partial\n");
  return status;
}

void TimingRun::write_series(const gpu::TimingDevice& device, const gpu::CtaSpans& spans) const {
  const TimingOptions& t = options_.timing;
  const gpu::Machine& m = device.machine();
  if (!t.timeline.empty())
    write_file(t.timeline, chrome_trace(m.spec(), device.launches(), spans, {m.samples(), t.watch}));
  if (!t.series.empty())
    write_file(t.series, series_csv(m.spec(), device.launches(), {m.samples(), t.watch}));
}

}  // namespace heddle::cli
