#include "apps/cli/timing_record.h"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "stats/snapshot.h"
#include "stats/writers.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

stats::Snapshot snapshot(const gpu::MachineStats& s) {
  stats::Snapshot all;
  all.add("", s);
  return all;
}

std::string_view name(sim::EndReason reason) {
  switch (reason) {
    case sim::EndReason::CycleLimit:
      return "cycle_limit";
    case sim::EndReason::Interrupted:
      return "interrupted";
    default:
      return "done";
  }
}

Json to_json(const sm::Occupancy& o) {
  return {{"ctas_per_sm", o.ctas},
          {"warps_per_cta", o.warps_per_cta},
          {"registers_per_cta", o.registers_per_cta},
          {"shared_bytes_per_cta", o.shared_per_cta},
          {"limited_by", o.limited_by}};
}

}  // namespace

void TimingRecord::take(const gpu::TimingDevice& device) {
  launches = device.launches();
  total = device.total();
  input_hash = device.input_hash();
  for (const gpu::LaunchResult& l : launches) {
    auto at = std::find_if(kernels.begin(), kernels.end(),
                           [&](const KernelTiming& k) { return k.kernel == l.kernel; });
    if (at == kernels.end()) at = kernels.insert(at, {l.kernel, l.occupancy, {}});
    at->stats.add(l.stats);
    execution_seconds += l.host_seconds;
  }
}

Json to_json(const TimingRecord& r) {
  const stats::JsonWriter full, values(stats::JsonWriter::Detail::Values);
  Json json = head_json(r, "heddle.run/2", "timing");
  Json slots = Json::object();
  for (const gpu::Chosen& c : gpu::implementations(r.spec)) slots[c.key] = c.name;
  json["gpu"] = {{"chosen", r.gpu},
                 {"name", r.spec.gpu.name},
                 {"sms", r.spec.sms()},
                 {"clusters", r.spec.gpu.clusters},
                 {"clock_hz", r.spec.gpu.clock.count()},
                 {"implementations", slots}};
  json["complete"] = r.complete();
  json["end"] = name(r.end);
  json["host"] = {{"wall_seconds", r.wall_seconds},
                  {"execution_seconds", r.execution_seconds},
                  {"cpu_seconds", r.cpu_seconds},
                  {"threads", r.threads}};
  json["statistics"] = full.object(snapshot(r.total));
  Json kernels = Json::array(), launches = Json::array();
  for (const KernelTiming& k : r.kernels)
    kernels.push_back({{"kernel", k.kernel},
                       {"occupancy", to_json(k.occupancy)},
                       {"statistics", values.object(snapshot(k.stats))}});
  for (const gpu::LaunchResult& l : r.launches)
    launches.push_back({{"kernel", l.kernel},
                        {"start", l.start},
                        {"cycles", l.cycles},
                        {"ctas", l.stats.sm.ctas},
                        {"warp_instructions", l.stats.sm.instructions}});
  json["kernels"] = kernels;
  json["launches"] = launches;
  return json;
}

void report(const TimingRecord& r, const OutputOptions& options, std::ostream& out) {
  if (!options.csv.empty()) {
    std::ostringstream text;
    stats::CsvWriter().write(text, snapshot(r.total));
    write_file(options.csv, text.str());
  }
  if (options.json == "-") {
    out << to_json(r).dump(2) << "\n";
    return;
  }
  if (!options.json.empty()) write_file(options.json, to_json(r).dump(2) + "\n");
  if (!options.quiet && !r.scale.empty()) print_head(r, out);
  print_verdict(r, out);
  if (options.quiet) return;
  print_summary(r, out);
  if (options.stats) {
    out << "\n";
    stats::TextWriter().write(out, snapshot(r.total));
  }
}

}  // namespace heddle::cli
