#include "study/run/record.h"

#include <sys/resource.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/version.h"
#include "gpu/catalog.h"
#include "stats/snapshot.h"
#include "stats/writers.h"
#include "study/run/detail.h"

namespace heddle::study {
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

Json to_json(const workload::Verification& v) {
  return {{"ok", v.ok},
          {"compared", v.compared},
          {"max_error", v.max_error},
          {"tolerance", v.tolerance},
          {"detail", v.detail}};
}

}  // namespace

void HostMeter::read(HostCost& cost) const {
  cost.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
  cost.cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
  struct rusage usage {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) cost.memory_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
}

void run_workload(const workload::Workload& w, const workload::RunOptions& options, workload::Device& device,
                  RunHead& head) {
  head.workload = w.info();
  head.parameters = w.parameters(options);
  if (head.contents.empty()) {  // the launch file of a user's kernel knows neither
    head.scale = std::string(workload::name(options.scale));
    head.seed = options.seed;
  }
  head.verification = w.run(device, options);
  head.verified = head.contents.empty() || head.verification.compared != 0;
}

Json head_json(const RunHead& r, std::string_view mode) {
  Json parameters = Json::object();
  for (const auto& [name, value] : r.parameters) parameters[name] = value;
  const BuildInfo& build = build_info();
  return {{"schema", kSchema},
          {"build",
           {{"release", build.release},
            {"source_hash", build.source_hash},
            {"compiler", build.compiler},
            {"build_type", build.build_type},
            {"target", build.target}}},
          {"mode", mode},
          {"workload",
           {{"name", r.workload.name},
            {"suite", r.workload.suite},
            {"summary", r.workload.summary},
            {"scale", r.scale},
            {"seed", r.seed},
            {"contents", r.contents},
            {"parameters", parameters},
            {"order_sensitive", r.workload.order_sensitive},
            {"input_hash", r.input_hash}}},
          {"configuration", r.configuration},
          {"verification", r.verified ? to_json(r.verification) : Json()},
          {"host",
           {{"wall_seconds", r.host.wall_seconds},
            {"execution_seconds", r.host.execution_seconds},
            {"cpu_seconds", r.host.cpu_seconds},
            {"memory_bytes", static_cast<std::uint64_t>(r.host.memory_bytes)}}}};
}

void TimingRecord::take(const gpu::TimingDevice& device) {
  total = device.total();
  input_hash = device.input_hash();
  for (const gpu::LaunchResult& l : device.launches()) {
    auto at = std::find_if(kernels.begin(), kernels.end(),
                           [&](const KernelTiming& k) { return k.kernel == l.kernel; });
    if (at == kernels.end()) at = kernels.insert(at, {l.kernel, l.occupancy, {}});
    at->stats.add(l.stats);
    launches.push_back({l.kernel, l.start, l.cycles, l.stats.sm().ctas, l.stats.sm().instructions});
    host.execution_seconds += l.host_seconds;
  }
}

Json to_json(const TimingRecord& r) {
  const stats::JsonWriter full, values(stats::JsonWriter::Detail::Values);
  Json json = head_json(r, "timing");
  json["host"]["threads"] = r.threads;
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
  json["statistics"] = full.object(snapshot(r.total));
  Json kernels = Json::array(), launches = Json::array();
  for (const KernelTiming& k : r.kernels)
    kernels.push_back({{"kernel", k.kernel},
                       {"occupancy", to_json(k.occupancy)},
                       {"statistics", values.object(snapshot(k.stats))}});
  for (const LaunchTiming& l : r.launches)
    launches.push_back({{"kernel", l.kernel},
                        {"start", l.start},
                        {"cycles", l.cycles},
                        {"ctas", l.ctas},
                        {"warp_instructions", l.warp_instructions}});
  json["kernels"] = kernels;
  json["launches"] = launches;
  if (r.detail) json["detail"] = to_json(*r.detail);
  return json;
}

std::string to_text(const TimingRecord& r) {
  return to_json(r).dump(2) + "\n";
}

}  // namespace heddle::study
