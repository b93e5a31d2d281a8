#include "apps/cli/commands/timing_run.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <optional>

#include "apps/cli/page/page_output.h"
#include "apps/cli/reports/timeline.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/progress.h"
#include "base/error.h"
#include "base/file.h"
#include "study/run/detail.h"

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

// A page shows what could have merged, too; it does not change timing.
ConfigOptions measured(const RunOptions& o) {
  ConfigOptions config = o.config;
  if (o.page.wanted()) config.sets.insert(config.sets.begin(), "measure.funnel=true");
  return config;
}

int status_of(sim::EndReason end) {
  return end == sim::EndReason::Interrupted ? kInterruptedStatus : kCycleLimitStatus;
}

}  // namespace

void StdoutSink::write(const std::string& text) {
  std::cout << text;
}

int TimingRun::simulate(study::TimingRecord& record) {
  const TimingOptions& t = options_.timing;
  check_page(options_.page);
  GpuConfig gpu = load_used_gpu(measured(options_));
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
    throw Error("--watch without --timeline or --series",
                "Say where the samples over time are to be written.");
  device_options.machine.watch = t.watch;
  device_options.machine.detail = t.detail || options_.page.wanted();
  device_options.functional = gpu.spec.functional;
  device_options.output = &output;

  const study::HostMeter meter;
  const ChosenWorkload chosen = chosen_workload(options_);
  record.gpu = gpu.chosen;
  record.spec = gpu.spec.gpu;
  record.threads = t.threads;
  record.contents = chosen.contents();
  record.configuration = gpu.config.dump(false);
  gpu::TimingDevice device(gpu.spec.gpu, device_options);
  if (t.progress || (terminal && !options_.output.quiet))
    device.machine().on_progress([&line](const gpu::Progress& p) { line.show(p); });
  int status = 0;
  try {
    study::run_workload(chosen.workload(), chosen.input(), device, record);
    status = record.verification.ok ? 0 : 1;
  } catch (const gpu::Stopped& stopped) {
    record.end = stopped.why;
    record.verified = false;
    status = status_of(stopped.why);
  }
  line.clear();
  meter.read(record.host);
  record.take(device);
  if (t.detail) record.detail = device.machine().detail();
  if (options_.page.wanted()) detail_ = study::to_text(*device.machine().detail());
  write_series(device, spans);
  return status;
}

int TimingRun::run() {
  study::TimingRecord record;
  const int status = simulate(record);
  report(record, options_.output, std::cout);
  if (options_.page.wanted()) write_page(record);
  warn_if_partial(record);
  return status;
}

void TimingRun::write_page(const study::TimingRecord& record) const {
  report::RunSource source;
  source.id = options_.what;
  source.record = study::to_text(record);
  source.detail = detail_;
  source.finished = now_utc();
  report::RunReader reader = run_reader();
  cli::write_page(options_.page, {}, {std::make_shared<report::PageRun>(reader.read(source))});
}

void warn_if_partial(const study::TimingRecord& record) {
  if (!record.complete())
    std::cerr << (record.end == sim::EndReason::Interrupted
                      ? "heddle: interrupted; the statistics are partial\n"
                      : "heddle: stopped by --max-cycles; the statistics are partial\n");
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
