#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "gpu/presets.h"
#include "gpu/simulation_spec.h"
#include "gpu/stages.h"
#include "report/curve_values.h"
#include "report/page_data.h"
#include "study/run/json_text.h"
#include "study/run/record.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

// A histogram is its mean here.
std::vector<PageRun::Statistic> statistics(const Json& record) {
  std::vector<PageRun::Statistic> all;
  for (const auto& [name, one] : record.at("statistics").items()) {
    const Json& value = one.at("value");
    const bool histogram = value.is_object();
    all.push_back({histogram ? name + ".mean" : name, one.value("unit", ""), one.value("description", ""),
                   histogram ? value.at("mean") : value});
  }
  return all;
}

Json kernels(const Json& record) {
  Json all = Json::array();
  for (const Json& k : record.at("kernels")) {
    const Json& s = k.at("statistics");
    const auto number = [&](const char* name) { return s.contains(name) ? s.at(name) : Json(); };
    all.push_back({{"name", k.at("kernel")},
                   {"launches", number("gpu.launches")},
                   {"cycles", number("gpu.cycles")},
                   {"instructions", number("sm.instructions")}});
  }
  return all;
}

Json funnel(const study::TimingRecord& r) {
  const mem::Funnel f = gpu::funnel(r.spec, r.total);
  Json levels = Json::array(), places = Json::array();
  for (const mem::FunnelLevel& l : f.levels)
    levels.push_back({{"name", l.name},
                      {"unit", l.unit},
                      {"by", l.by},
                      {"count", l.count},
                      {"could", l.could_merge ? Json(*l.could_merge) : Json()}});
  for (const mem::FunnelPlace& place : f.places) {
    Json removed = Json::array(), added = Json::array();
    for (const mem::FunnelPart& p : place.parts)
      (p.added ? added : removed).push_back({{"by", p.by}, {"count", p.count}});
    places.push_back({{"name", place.name},
                      {"in", f.levels[place.in].name},
                      {"out", f.levels[place.out].name},
                      {"removed", std::move(removed)},
                      {"added", std::move(added)}});
  }
  return {{"levels", levels}, {"places", places}};
}

std::optional<study::TimingRecord> timing_of(const std::string& record) {
  try {
    return study::parse_timing(record);
  } catch (const Error&) {  // another version's statistics or parameters
    return {};
  }
}

Json members(const RunSource& source, const Json& record, const std::string& short_name,
             const std::string& command) {
  const Json& w = record.at("workload");
  const Json& v = record.at("verification");
  const study::Label label = source.labels.empty() ? study::Label() : source.labels.front();
  const std::string name = w.at("name"), hash = record.at("build").at("source_hash");
  Json labels = Json::array();
  for (const study::Label& l : source.labels)
    labels.push_back({{"study", l.study}, {"design", l.design}, {"perturbation", l.perturbation}});
  return {{"id", source.id},
          {"workload", name},
          {"short", short_name.empty() ? name : short_name},
          {"suite", w.at("suite")},
          {"scale", w.at("scale")},
          {"seed", w.at("seed")},
          {"parameters", w.at("parameters")},
          {"input", w.at("input_hash")},
          {"contents", w.at("contents")},
          {"study", label.study},
          {"design", label.design},
          {"perturbation", label.perturbation},
          {"labels", labels},
          {"machine", record.at("gpu").at("chosen")},
          {"verified", v.is_null() || v.at("ok").get<bool>()},
          {"compared", v.is_null() ? Json(0) : v.at("compared")},
          {"complete", record.value("complete", true)},
          {"source", hash.substr(0, 12)},
          {"finished", source.finished},
          {"command", command},
          {"host",
           {{"cpu_seconds", record.at("host").at("cpu_seconds")},
            {"memory_bytes", record.at("host").at("memory_bytes")}}}};
}

void check_kind(const Json& record, const std::string& id) {
  const std::string schema = record.value("schema", "");
  if (schema != study::kSchema)
    throw Error(SourcePlace{id, 0, 0, {}},
                fmt::format("this is no record of a run: its schema is '{}', expected '{}'",
                            printable(schema), study::kSchema),
                "heddle run W --json FILE writes one");
  if (record.value("mode", "") != "timing")
    throw Error(SourcePlace{id, 0, 0, {}}, "this run had no notion of time: there is nothing to show",
                "run it without --functional");
}

}  // namespace

PageRun RunReader::read(const RunSource& source, bool with_detail) {
  try {
    const Json record = study::parse_json<Json>(source.record);
    if (!record.is_object()) throw Error(SourcePlace{source.id, 0, 0, {}}, "this is no record of a run");
    check_kind(record, source.id);
    PageRun run;
    run.id = source.id;
    run.labels = source.labels;
    run.workload = record.at("workload").at("name");
    run.contents = record.at("workload").at("contents");
    run.scale = record.at("workload").at("scale");
    run.seed = record.at("workload").at("seed");
    run.machine = record.at("gpu").at("chosen");
    run.configuration = record.at("configuration");
    run.statistics = statistics(record);
    run.result = study::Result::parse(source.record);
    run.members = members(source, record, short_name_(run.workload), command(record));
    std::vector<mem::Curve> curves = gpu::curves(gpu::default_spec());
    if (const auto timing = timing_of(source.record)) {
      run.members["funnel"] = funnel(*timing);
      curves = gpu::curves(timing->spec);
    }
    run.members["kernels"] = kernels(record);
    if (!with_detail) return run;
    if (!source.detail.empty())
      run.members["detail"] = detail_values(study::parse_json<Json>(source.detail), curves);
    else if (record.contains("detail"))
      run.members["detail"] = detail_values(record.at("detail"), curves);
    return run;
  } catch (const nlohmann::json::exception& e) {
    throw Error(SourcePlace{source.id, 0, 0, {}}, fmt::format("this is no record of a run: {}", e.what()),
                "heddle run W --json FILE writes one");
  }
}

const config::Config* RunReader::machine(const std::string& chosen) {
  const auto [at, is_new] = machines_.try_emplace(chosen);
  std::error_code none;
  // A record from elsewhere may name a pipe or a device: reading that would not end.
  const bool readable =
      !std::filesystem::exists(chosen, none) || std::filesystem::is_regular_file(chosen, none);
  if (is_new && readable) {
    try {
      config::Config c = gpu::load_config(chosen);
      gpu::read_simulation_spec(c);
      at->second = std::move(c);
    } catch (const Error&) {  // a file that is gone, or has changed too much
    }
  }
  return at->second ? &*at->second : nullptr;
}

// The command that repeats the run: what differs from the machine that it names. Empty where that machine
// cannot be found any more: the configuration itself is a file that --gpu takes.
std::string RunReader::command(const Json& record) {
  const Json& w = record.at("workload");
  const std::string chosen = record.at("gpu").at("chosen");
  const config::Config* base = machine(chosen);
  if (base == nullptr) return {};
  std::string text = "heddle run " + shell_word(w.at("name"));
  if (w.at("contents").get<std::string>().empty())
    text += fmt::format(" --scale {} --seed {}", w.at("scale").get<std::string>(),
                        w.at("seed").get<std::uint64_t>());
  else
    text += " --launch FILE.toml";
  text += " --gpu " + shell_word(chosen);
  const config::Config own =
      config::Config::parse(record.at("configuration").get<std::string>(), "configuration of the record");
  for (const auto& [path, entry] : own.entries()) {
    const config::Entry* other = base->find(path);
    if (other == nullptr || other->value.toml() != entry.value.toml())
      text += " --set " + shell_word(short_assignment(path + "=" + entry.value.toml()));
  }
  return text;
}

}  // namespace heddle::report
