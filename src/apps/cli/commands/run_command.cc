#include <iostream>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/timing_run.h"
#include "apps/cli/reports/functional_report.h"
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
  const ChosenWorkload chosen = chosen_workload(o);
  exec::FunctionalDevice device(section.functional);
  RunRecord record;
  record.configuration = c.dump(false);
  record.threads = o.timing.threads;
  record.contents = chosen.contents();
  study::run_workload(chosen.workload(), chosen.input(), device, record);
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

ChosenWorkload chosen_workload(const RunOptions& o) {
  return ChosenWorkload(o, o.output.json == "-" ? nullptr : &std::cout, o.output.quiet);
}

int run_command(const RunOptions& o) {
  return o.functional ? run_functional(o) : run_timing(o);
}

}  // namespace heddle::cli
