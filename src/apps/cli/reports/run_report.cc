#include "apps/cli/reports/run_report.h"

#include <sstream>

#include <fmt/format.h>

#include "base/file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "stats/snapshot.h"
#include "stats/writers.h"

namespace heddle::cli {

void print_head(const study::RunHead& r, std::ostream& out) {
  out << fmt::format("{} ({}): {}\n", visible(r.workload.name), visible(r.workload.suite),
                     visible(r.workload.summary));
  std::string inputs;
  for (const auto& [name, value] : r.parameters)
    inputs += fmt::format("{}{} {}", inputs.empty() ? "" : ", ", name, value);
  if (!r.scale.empty()) out << fmt::format("  scale {}, seed {}: {}\n", r.scale, r.seed, inputs);
}

void print_verdict(const study::RunHead& r, std::ostream& out) {
  const workload::Verification& v = r.verification;
  if (!r.verified) return;
  if (v.ok)
    out << fmt::format("\nresult      verified: {} values, largest error {:.2g} (tolerance: {})\n",
                       grouped(v.compared), v.max_error, v.tolerance);
  else
    out << fmt::format("\nresult      WRONG: {} (tolerance: {})\n", visible(v.detail), v.tolerance);
}

void report(const study::TimingRecord& r, const OutputOptions& options, std::ostream& out) {
  stats::Snapshot all;
  all.add("", r.total);
  if (!options.csv.empty()) {
    std::ostringstream text;
    stats::CsvWriter().write(text, all);
    write_file(options.csv, text.str());
  }
  if (options.json == "-") {
    out << study::to_text(r);
    return;
  }
  if (!options.json.empty()) write_file(options.json, study::to_text(r));
  if (!options.quiet && r.contents.empty()) print_head(r, out);
  // The comparisons of a user's launch file have been printed one by one.
  if (r.contents.empty()) print_verdict(r, out);
  if (options.quiet) return;
  print_summary(r, out);
  if (options.stats) {
    out << "\n";
    stats::TextWriter().write(out, all);
  }
}

}  // namespace heddle::cli
