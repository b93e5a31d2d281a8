#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/timing_run.h"
#include "apps/cli/reports/funnel_report.h"
#include "apps/cli/reports/run_report.h"
#include "base/file.h"
#include "base/numbers.h"

namespace heddle::cli {
namespace {

const char* verdict(const study::TimingRecord& r) {
  return !r.verified ? "" : r.verification.ok ? ", result verified" : ", result WRONG";
}

}  // namespace

int funnel_command(const RunOptions& options) {
  RunOptions o = options;
  o.output.quiet = true;  // of a user's kernel: its comparisons only
  o.config.sets.emplace_back("measure.funnel=true");
  StdoutSink sink;
  study::TimingRecord record;
  const int status = TimingRun(o, sink).simulate(record);
  const mem::Funnel funnel = gpu::funnel(record.spec, record.total);
  const std::uint32_t window = record.spec.measure.window;
  if (!o.output.json.empty()) {
    nlohmann::ordered_json json = study::head_json(record, "timing");
    json["schema"] = "heddle.funnel/1";
    json["gpu"] = record.gpu;
    json["complete"] = record.complete();
    add_json(funnel, window, json);
    if (o.output.json == "-") {
      std::cout << json.dump(2) << "\n";
      return status;
    }
    write_file(o.output.json, json.dump(2) + "\n");
  }
  if (record.verified && !record.verification.ok) print_verdict(record, std::cout);
  const std::string scale = record.scale.empty() ? "" : fmt::format(" ({})", record.scale);
  std::cout << fmt::format("{}{} on {}: {} cycles{}\n\n", record.workload.name, scale, record.gpu,
                           grouped(record.total.gpu.cycles), verdict(record));
  print_funnel(funnel, window, std::cout);
  warn_if_partial(record);
  return status;
}

}  // namespace heddle::cli
