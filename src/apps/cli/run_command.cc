#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "apps/cli/commands.h"
#include "apps/cli/report.h"
#include "apps/cli/user_kernel.h"
#include "base/error.h"
#include "base/suggest.h"
#include "config/reader.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

// Device printf goes where the host's output goes.
class StdoutSink final : public exec::OutputSink {
 public:
  void write(const std::string& text) override { std::cout << text; }
};

struct FunctionalSection {
  exec::FunctionalOptions functional;
  void fields(config::Reader& r) { r.section("functional", functional); }
};

bool is_file(const std::string& what) {
  return what.ends_with(".ptx") || what.ends_with(".cu");
}

int run_kernel(const RunOptions& o, const exec::FunctionalOptions& functional, std::string effective) {
  if (o.launch.empty())
    throw Error(fmt::format("'{}' is a kernel of your own: how is it launched?", o.what),
                "Give --launch FILE.toml with buffers, grid, block and arguments (docs/launch-files.md).");
  UserKernelOptions user;
  user.kernel = o.what;
  user.launch = o.launch;
  user.compile = o.compile;
  user.quiet = o.output.quiet;
  exec::FunctionalDevice device(functional);
  Stopwatch watch;
  std::ostringstream text;
  const int status = run_user_kernel(user, device, o.output.json == "-" ? text : std::cout);
  RunRecord record;
  record.workload = {.name = o.what,
                     .suite = "user",
                     .abbreviation = {},
                     .summary = "launched by " + o.launch,
                     .order_sensitive = false,
                     .order_reason = {}};
  record.parameters = {{"kernel", o.what}, {"launch", o.launch}};
  record.configuration = std::move(effective);
  record.verified = false;
  record.wall_seconds = watch.seconds();
  record.take(device);
  if (!o.output.quiet || !o.output.json.empty()) report(record, o.output, std::cout);
  return status;
}

int run_workload(const RunOptions& o, const workload::Workload& w, const exec::FunctionalOptions& functional,
                 std::string effective) {
  workload::RunOptions run;
  run.seed = o.seed;
  const auto scale = workload::parse_scale(o.scale);
  if (!scale) throw Error(fmt::format("'{}' is not a scale", o.scale), "Scales: tiny, small, paper.");
  run.scale = *scale;
  exec::FunctionalDevice device(functional);
  Stopwatch watch;
  RunRecord record;
  record.workload = w.info();
  record.scale = std::string(workload::name(run.scale));
  record.seed = run.seed;
  record.parameters = w.parameters(run);
  record.configuration = std::move(effective);
  record.verification = w.run(device, run);
  record.wall_seconds = watch.seconds();
  record.take(device);
  report(record, o.output, std::cout);
  return record.verification.ok ? 0 : 1;
}

}  // namespace

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
  StdoutSink sink;
  config::Config c = o.config.load();
  FunctionalSection section = config::read<FunctionalSection>(c);
  c.check_all_read();
  section.functional.output = &sink;
  if (!o.functional && o.output.json != "-")
    std::cerr
        << "heddle: this release has no timing model yet; executing functionally, as with --functional\n";
  return is_file(o.what) ? run_kernel(o, section.functional, c.dump(false))
                         : run_workload(o, require_workload(o.what), section.functional, c.dump(false));
}

}  // namespace heddle::cli
