// From JSON back to what the summary needs.
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "gpu/simulation_spec.h"
#include "gpu/stages.h"
#include "stats/readers.h"
#include "study/run/json_text.h"
#include "study/run/record.h"

namespace heddle::study {
namespace {

using Json = nlohmann::ordered_json;

sim::EndReason end_reason(const std::string& name) {
  if (name == "cycle_limit") return sim::EndReason::CycleLimit;
  return name == "interrupted" ? sim::EndReason::Interrupted : sim::EndReason::Done;
}

// JSON has no infinity: an error without a number was written as null.
double number(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

void read_head(const Json& json, RunHead& r) {
  const Json& w = json.at("workload");
  r.workload.name = w.at("name");
  r.workload.suite = w.at("suite");
  r.workload.summary = w.at("summary");
  r.workload.order_sensitive = w.at("order_sensitive");
  r.scale = w.at("scale");
  r.seed = w.at("seed");
  r.contents = w.at("contents");
  r.input_hash = w.at("input_hash");
  for (const auto& [name, value] : w.at("parameters").items()) r.parameters.emplace_back(name, value);
  r.configuration = json.at("configuration");
  const Json& v = json.at("verification");
  r.verified = !v.is_null();
  if (r.verified)
    r.verification = {v.at("ok"), v.at("compared"), number(v.at("max_error")), v.at("tolerance"),
                      v.at("detail")};
  const Json& host = json.at("host");
  r.host = {host.at("wall_seconds"), host.at("execution_seconds"), host.at("cpu_seconds"),
            host.at("memory_bytes")};
}

TimingRecord read(const Json& json) {
  if (json.at("schema") != kSchema || json.at("mode") != "timing")
    throw Error(fmt::format("expected a record of a simulated run, schema {}", kSchema));
  TimingRecord r;
  read_head(json, r);
  config::Config config = config::Config::parse(r.configuration, "configuration of the record");
  r.spec = gpu::read_simulation_spec(config).gpu;
  r.gpu = json.at("gpu").at("chosen");
  r.threads = json.at("host").at("threads");
  r.end = end_reason(json.at("end"));
  const gpu::MachineStats zero = gpu::Stages(r.spec).zero();
  r.total = zero;
  stats::read_json(json.at("statistics"), r.total);
  for (const Json& k : json.at("kernels")) {
    const Json& o = k.at("occupancy");
    KernelTiming& kernel = r.kernels.emplace_back();
    kernel.kernel = k.at("kernel");
    kernel.occupancy = {o.at("ctas_per_sm"), o.at("warps_per_cta"), o.at("registers_per_cta"),
                        o.at("shared_bytes_per_cta"), o.at("limited_by")};
    kernel.stats = zero;
    stats::read_json(k.at("statistics"), kernel.stats);
  }
  for (const Json& l : json.at("launches"))
    r.launches.push_back(
        {l.at("kernel"), l.at("start"), l.at("cycles"), l.at("ctas"), l.at("warp_instructions")});
  return r;
}

}  // namespace

std::string decisive(std::string_view text) {
  try {
    Json json = parse_json<Json>(text);
    const Json source = json.at("build").at("source_hash");
    json.at("build") = {{"source_hash", source}};
    json.erase("host");
    for (const char* name : {"summary", "parameters"}) json.at("workload").erase(name);
    if (json.contains("gpu")) json.at("gpu").erase("chosen");
    return json.dump();
  } catch (const Json::exception& e) {
    throw Error(fmt::format("not a record of heddle: {}", e.what()));
  }
}

TimingRecord parse_timing(std::string_view text) {
  try {
    return read(parse_json<Json>(text));
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("not a record of heddle: {}", e.what()));
  }
}

}  // namespace heddle::study
