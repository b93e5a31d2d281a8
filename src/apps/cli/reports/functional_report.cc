#include "apps/cli/reports/functional_report.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/demangle.h"
#include "base/file.h"
#include "base/numbers.h"
#include "stats/snapshot.h"
#include "stats/writers.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

using exec::FunctionalStats;

void print_totals(const RunRecord& r, std::ostream& out) {
  const FunctionalStats& s = r.total;
  out << fmt::format("executed    {} launches, {} CTAs, {} warp instructions, {:.1f} of 32 lanes active\n",
                     grouped(s.launches), grouped(s.ctas), millions(s.warp_instructions),
                     ratio(s.thread_instructions, s.warp_instructions));
  out << fmt::format("divergence  {} of {} branches separated lanes ({:.1f} %)\n",
                     millions(s.divergent_branches), millions(s.branches),
                     100 * ratio(s.divergent_branches, s.branches));
  out << fmt::format(
      "host time   {:.3f} s in kernels ({:.1f} M warp instructions per second), {:.3f} s in all\n",
      r.host.execution_seconds,
      r.host.execution_seconds > 0 ? static_cast<double>(s.warp_instructions) / 1e6 / r.host.execution_seconds
                                   : 0.0,
      r.host.wall_seconds);
}

// The mix, largest first, through the declared statistics so that names agree with `heddle explain`.
void print_mix(const RunRecord& r, std::ostream& out) {
  stats::Snapshot snapshot;
  snapshot.add("", r.total.mix);
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  for (const stats::Statistic& s : snapshot.all())
    if (const auto* n = std::get_if<std::uint64_t>(&s.reading); n != nullptr && *n != 0)
      rows.emplace_back(*n, s.info.name);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  out << "\ninstruction mix\n";
  for (const auto& [n, name] : rows) {
    const double share = 100 * ratio(n, r.total.warp_instructions);
    out << fmt::format("  {:<11} {:>6.1f} %  {}\n", name, share,
                       std::string(static_cast<std::size_t>(share / 2 + 0.5), '#'));
  }
}

void print_traffic(const RunRecord& r, std::ostream& out) {
  const FunctionalStats& s = r.total;
  const std::pair<const char*, const exec::TrafficStats*> rows[] = {{"global load", &s.global_load},
                                                                    {"global store", &s.global_store},
                                                                    {"local load", &s.local_load},
                                                                    {"local store", &s.local_store},
                                                                    {"constant load", &s.constant_load},
                                                                    {"texture load", &s.texture_load},
                                                                    {"atomic", &s.atomic}};
  out << fmt::format("\n{:<14} {:>12} {:>9} {:>9} {:>9}\n", "memory", "accesses", "bytes/", "lines/",
                     "sectors/");
  out << fmt::format("{:<14} {:>12} {:>9} {:>9} {:>9}\n", "", "", "access", "access", "access");
  for (const auto& [name, t] : rows)
    if (t->accesses != 0)
      out << fmt::format("  {:<12} {:>12} {:>9.1f} {:>9.2f} {:>9.2f}\n", name, grouped(t->accesses),
                         ratio(t->bytes, t->accesses), ratio(t->lines, t->accesses),
                         ratio(t->sectors, t->accesses));
  const std::pair<const char*, const exec::SharedStats*> shared[] = {{"shared load", &s.shared_load},
                                                                     {"shared store", &s.shared_store}};
  for (const auto& [name, t] : shared)
    if (t->accesses != 0)
      out << fmt::format("  {:<12} {:>12} {:>9.1f} {:>9.2f} bank passes per access\n", name,
                         grouped(t->accesses), ratio(t->bytes, t->accesses), ratio(t->passes, t->accesses));
}

void print_kernels(const RunRecord& r, std::ostream& out) {
  std::size_t width = 12;
  for (const exec::KernelStats& k : r.kernels)
    width = std::max(width, std::min<std::size_t>(base_name(k.kernel).size(), 40));
  out << fmt::format("\n{:<{}} {:>9} {:>9} {:>12} {:>7} {:>7} {:>9}\n", "kernel", width + 2, "launches",
                     "CTAs", "warp instr.", "lanes", "regs*", "shared B");
  for (const exec::KernelStats& k : r.kernels) {
    const FunctionalStats& s = k.stats;
    out << fmt::format("  {:<{}} {:>9} {:>9} {:>12} {:>7.1f} {:>7} {:>9}\n",
                       base_name(k.kernel).substr(0, 40), width, grouped(s.launches), grouped(s.ctas),
                       millions(s.warp_instructions), ratio(s.thread_instructions, s.warp_instructions),
                       k.registers, k.shared_bytes);
  }
  out << "  * estimated registers per thread\n";
}

nlohmann::ordered_json to_json(const RunRecord& r) {
  const stats::JsonWriter full, values(stats::JsonWriter::Detail::Values);
  auto snapshot = [](const FunctionalStats& s) {
    stats::Snapshot all;
    all.add("", s);
    return all;
  };
  Json kernels = Json::array();
  for (const exec::KernelStats& k : r.kernels)
    kernels.push_back({{"kernel", k.kernel},
                       {"registers_estimated", k.registers},
                       {"shared_bytes", k.shared_bytes},
                       {"statistics", values.object(snapshot(k.stats))}});
  Json json = study::head_json(r, "functional");
  json["host"]["threads"] = r.threads;
  json["statistics"] = full.object(snapshot(r.total));
  json["kernels"] = kernels;
  return json;
}

}  // namespace

void RunRecord::take(const exec::FunctionalDevice& device) {
  total = exec::total(device.launches());
  kernels = exec::by_kernel(device.launches());
  for (const exec::LaunchProfile& l : device.launches()) host.execution_seconds += l.host_seconds;
  input_hash = device.input_hash();
}

void report(const RunRecord& r, const OutputOptions& options, std::ostream& out) {
  if (!options.csv.empty()) {
    stats::Snapshot all;
    all.add("", r.total);
    std::ostringstream text;
    stats::CsvWriter().write(text, all);
    write_file(options.csv, text.str());
  }
  if (options.json == "-") {
    out << to_json(r).dump(2) << "\n";
    return;
  }
  if (!options.json.empty()) write_file(options.json, to_json(r).dump(2) + "\n");
  if (!options.quiet && r.contents.empty()) print_head(r, out);
  // The comparisons of a user's launch file have been printed one by one.
  if (r.contents.empty()) print_verdict(r, out);
  if (options.quiet) return;
  print_totals(r, out);
  if (options.stats) {
    stats::Snapshot all;
    all.add("", r.total);
    out << "\n";
    stats::TextWriter().write(out, all);
    return;
  }
  print_mix(r, out);
  print_traffic(r, out);
  print_kernels(r, out);
}

}  // namespace heddle::cli
