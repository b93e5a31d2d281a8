#include <iostream>

#include "apps/cli/commands.h"
#include "apps/cli/report.h"
#include "apps/cli/timing_run.h"
#include "config/reader.h"

namespace heddle::cli {
namespace {

struct FunctionalSection {
  exec::FunctionalOptions functional;
  void fields(config::Reader& r) { r.section("functional", functional); }
};

int run_functional(const RunOptions& o) {
  StdoutSink sink;
  config::Config c = o.config.load();
  FunctionalSection section = config::read<FunctionalSection>(c);
  c.check_all_read();
  section.functional.output = &sink;
  section.functional.threads = o.timing.threads;
  const study::HostMeter meter;
  const Subject subject = subject_of(o);
  exec::FunctionalDevice device(section.functional);
  RunRecord record;
  record.configuration = c.dump(false);
  record.threads = o.timing.threads;
  record.contents = subject.contents();
  study::run_workload(subject.workload(), subject.input(), device, record);
  meter.read(record.host);
  record.take(device);
  report(record, o.output, std::cout);
  return record.verification.ok ? 0 : 1;
}

int run_timing(const RunOptions& o) {
  StdoutSink sink;
  return TimingRun(o, sink).run();
}

}  // namespace

Subject subject_of(const RunOptions& o) {
  return Subject(o, o.output.json == "-" ? nullptr : &std::cout, o.output.quiet);
}

int run_command(const RunOptions& o) {
  return o.functional ? run_functional(o) : run_timing(o);
}

}  // namespace heddle::cli
