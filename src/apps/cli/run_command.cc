#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "apps/cli/commands.h"
#include "apps/cli/report.h"
#include "apps/cli/timing_run.h"
#include "apps/cli/user_kernel.h"
#include "base/error.h"
#include "base/suggest.h"
#include "config/reader.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

struct FunctionalSection {
  exec::FunctionalOptions functional;
  void fields(config::Reader& r) { r.section("functional", functional); }
};

bool is_file(const std::string& what) {
  return what.ends_with(".ptx") || what.ends_with(".cu");
}

int run_functional(const RunOptions& o) {
  StdoutSink sink;
  config::Config c = o.config.load();
  FunctionalSection section = config::read<FunctionalSection>(c);
  c.check_all_read();
  section.functional.output = &sink;
  exec::FunctionalDevice device(section.functional);
  Stopwatch watch;
  RunRecord record;
  record.configuration = c.dump(false);
  const int status = run_on(o, device, record);
  record.wall_seconds = watch.seconds();
  record.take(device);
  if (!o.output.quiet || record.verified || !o.output.json.empty()) report(record, o.output, std::cout);
  return status;
}

int run_timing(const RunOptions& o) {
  StdoutSink sink;
  return TimingRun(o, sink).run();
}

int run_user(const RunOptions& o, workload::Device& device, RunHead& head) {
  if (o.launch.empty())
    throw Error(fmt::format("'{}' is a kernel of your own: how is it launched?", o.what),
                "Give --launch FILE.toml with buffers, grid, block and arguments (docs/launch-files.md).");
  UserKernelOptions user;
  user.kernel = o.what;
  user.launch = o.launch;
  user.compile = o.compile;
  user.quiet = o.output.quiet;
  head.workload = {.name = o.what,
                   .suite = "user",
                   .abbreviation = {},
                   .summary = "launched by " + o.launch,
                   .order_sensitive = false,
                   .order_reason = {}};
  head.parameters = {{"kernel", o.what}, {"launch", o.launch}};
  head.verified = false;  // the launch file's comparisons have been printed
  std::ostringstream text;
  return run_user_kernel(user, device, o.output.json == "-" ? text : std::cout);
}

}  // namespace

int run_on(const RunOptions& o, workload::Device& device, RunHead& head) {
  if (is_file(o.what)) return run_user(o, device, head);
  const workload::Workload& w = require_workload(o.what);
  workload::RunOptions run;
  run.seed = o.seed;
  const auto scale = workload::parse_scale(o.scale);
  if (!scale) throw Error(fmt::format("'{}' is not a scale", o.scale), "Scales: tiny, small, paper.");
  run.scale = *scale;
  head.workload = w.info();
  head.scale = std::string(workload::name(run.scale));
  head.seed = run.seed;
  head.parameters = w.parameters(run);
  head.verification = w.run(device, run);
  return head.verification.ok ? 0 : 1;
}

const workload::Workload& require_workload(const std::string& name) {
  if (const workload::Workload* w = workloads::find_workload(name)) return *w;
  std::vector<std::string> known;
  for (const workload::Workload* w : workloads::all_workloads()) known.push_back(w->info().name);
  const std::string hint = did_you_mean(name, known);
  throw Error(fmt::format("no workload is called '{}'", name),
              hint.empty()
                  ? "heddle list shows them; a kernel of your own is a .ptx or .cu file with --launch"
                  : hint);
}

int run_command(const RunOptions& o) {
  return o.functional ? run_functional(o) : run_timing(o);
}

}  // namespace heddle::cli
