#include "study/plan/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "study/run/energy_of_result.h"
#include "study/run/json_text.h"
#include "study/store/compression.h"

namespace heddle::study {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kArchiveSchema = "heddle.archive/1";
constexpr double kMiB = 1u << 20;
constexpr const char* kAgain =
    "take it from where it came from, or make it again: heddle study NAME --archive";

Json as_json(double v) {
  // Counters as integers: shorter, and no digit is lost.
  if (v == std::floor(v) && std::abs(v) < 9e15) return static_cast<std::int64_t>(v);
  return std::isfinite(v) ? Json(v) : Json(nullptr);
}

// Machine texts are long and few: kept once.
std::size_t index_of(std::vector<std::string>& texts, const std::string& text) {
  const auto at = std::find(texts.begin(), texts.end(), text);
  if (at != texts.end()) return static_cast<std::size_t>(at - texts.begin());
  texts.push_back(text);
  return texts.size() - 1;
}

// `scale`: the archive's; a point of another one says so.
Json to_json(const ArchivedPoint& p, const std::vector<std::string>& names, std::vector<std::string>& texts,
             workload::Scale scale) {
  Json values = Json::array(), cells = Json::array();
  // "no value" (0 / 0) is null, a statistic that this point does not have is false.
  for (const std::string& name : names)
    values.push_back(p.result.has(name) ? as_json(p.result.value(name)) : Json(false));
  for (const Cell& c : p.cells) cells.push_back({c.design, c.perturbation});
  Json json = {{"workload", p.point.workload},
               {"seed", p.point.seed},
               {"gpu", p.point.gpu},
               {"machine", index_of(texts, p.point.machine)},
               {"cells", cells},
               {"source_hash", p.result.source_hash},
               {"input_hash", p.result.input_hash},
               {"verified", p.result.verified},
               {"complete", p.result.complete},
               {"cpu_seconds", std::round(p.result.cpu_seconds * 100) / 100},
               {"memory_bytes", std::round(p.result.memory_bytes / kMiB) * kMiB},
               {"values", values}};
  if (p.point.scale != scale) json["scale"] = workload::name(p.point.scale);
  return json;
}

workload::Scale scale_named(const std::string& name) {
  const std::optional<workload::Scale> scale = workload::parse_scale(name);
  if (!scale) throw Error(fmt::format("'{}' is no scale", printable(name)));
  return *scale;
}

ArchivedPoint point_of(const Json& json, const std::vector<std::string>& names,
                       const std::vector<std::string>& texts, workload::Scale scale) {
  ArchivedPoint p;
  p.point.workload = json.at("workload");
  p.point.seed = json.at("seed");
  p.point.gpu = json.at("gpu");
  p.point.scale = scale;
  if (json.contains("scale")) p.point.scale = scale_named(json.at("scale").get<std::string>());
  p.point.machine = texts.at(json.at("machine").get<std::size_t>());
  const Json& values = json.at("values");
  if (values.size() != names.size()) throw Error("a point has another number of values than there are names");
  std::map<std::string, double, std::less<>> statistics;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!values[i].is_boolean())
      statistics.emplace(
          names[i], values[i].is_null() ? std::numeric_limits<double>::quiet_NaN() : values[i].get<double>());
  p.result = Result(std::move(statistics));
  p.result.source_hash = json.at("source_hash");
  p.result.input_hash = json.at("input_hash");
  p.result.verified = json.at("verified");
  p.result.complete = json.at("complete");
  p.result.cpu_seconds = json.at("cpu_seconds");
  p.result.memory_bytes = json.value("memory_bytes", 0.0);  // archives were without it once
  for (const Json& c : json.at("cells")) p.cells.push_back({c.at(0), p.point.workload, c.at(1)});
  return p;
}

std::string archived_text(std::string_view bytes) {
  std::optional<std::string> text = decompressed(bytes);
  if (!text) throw Error("damaged, or not compressed by zstd");
  if (!has_checksum(bytes)) throw Error("it has no checksum, so nothing tells whether it is whole");
  return std::move(*text);
}

}  // namespace

std::string Archive::source_hash() const {
  std::set<std::string> hashes;
  for (const ArchivedPoint& p : points) hashes.insert(p.result.source_hash);
  return hashes.size() == 1 ? *hashes.begin() : "several";
}

Archive make_archive(const Selected& selected, const Plan& plan, const Batch& batch) {
  Archive a;
  a.study = selected.study.label();
  a.scale = selected.scale;
  for (const auto& [design, machine] : plan.machines) a.machines.emplace_back(design, machine);
  const Evidence evidence = evidence_of(plan, batch);
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> known;
  for (const auto& [cell, job] : plan.job_of) {
    const auto at = evidence.results().find(cell);
    if (at == evidence.results().end()) continue;
    const Point& p = plan.jobs[job].point;
    const auto [place, fresh] =
        known.emplace(std::make_tuple(p.workload, p.machine, p.seed), a.points.size());
    if (fresh) a.points.push_back({p, at->second, {}});
    a.points[place->second].cells.push_back(cell);
  }
  return a;
}

Evidence evidence_of(const Archive& archive) {
  Evidence e;
  for (const auto& [design, machine] : archive.machines) e.add_machine(design, machine);
  for (const ArchivedPoint& p : archive.points)
    for (const Cell& c : p.cells) e.add(c, p.result);
  return e;
}

Archive archive_of(const Store& store, const Selected& selected, std::string_view source) {
  Archive a;
  a.study = selected.study.label();
  a.scale = selected.scale;
  std::map<std::string, std::string> machines;
  for (const StoredPoint& kept : store.list()) {
    if (kept.point.scale != selected.study.scale_of(kept.point.workload, a.scale)) continue;
    if (!kept.source_hash.starts_with(source)) continue;
    ArchivedPoint p{kept.point, {}, {}};
    for (const Label& l : kept.labels)
      if (l.study == a.study) p.cells.push_back({l.design, kept.point.workload, l.perturbation});
    if (p.cells.empty()) continue;
    const std::string record = store.record(kept.key).value_or("");
    p.result = Result::parse(record);
    p.point.machine = parse_json<Json>(record).at("configuration");
    for (const Cell& c : p.cells)
      if (c.perturbation.empty()) machines.emplace(c.design, p.point.machine);
    a.points.push_back(std::move(p));
  }
  const auto order = [](const ArchivedPoint& p) {
    return std::tie(p.point.workload, p.point.machine, p.point.seed);
  };
  std::sort(a.points.begin(), a.points.end(),
            [&](const ArchivedPoint& x, const ArchivedPoint& y) { return order(x) < order(y); });
  a.machines.assign(machines.begin(), machines.end());
  if (a.points.empty())
    throw Error(fmt::format("{}: no point of the study '{}' at scale {} by a source '{}'",
                            store.file().string(), a.study, workload::name(a.scale), source),
                "heddle results lists what there is, with the source that made it");
  if (a.source_hash() == "several")
    throw Error(fmt::format("more than one source begins with '{}'", source), "give more of its hash");
  return a;
}

std::vector<Cell> lacking(const Archive& archive, const Study& study) {
  Selection all;
  all.scale = archive.scale;
  all.perturbations = false;
  const Evidence evidence = evidence_of(archive);
  std::vector<Cell> out;
  for (const auto& [cell, job] : make_plan(select(study, all)).job_of)
    if (cell.perturbation.empty() && evidence.find(cell) == nullptr) out.push_back(cell);
  return out;
}

std::string pack(const Archive& archive) {
  std::set<std::string> all;
  for (const ArchivedPoint& p : archive.points)
    for (const auto& [name, value] : p.result.statistics())
      if (!is_energy(name)) all.insert(name);
  const std::vector<std::string> names(all.begin(), all.end());
  std::vector<std::string> texts;
  Json designs = Json::array(), points = Json::array();
  for (const auto& [design, machine] : archive.machines)
    designs.push_back({design, index_of(texts, machine)});
  for (const ArchivedPoint& p : archive.points) points.push_back(to_json(p, names, texts, archive.scale));
  const Json json = {
      {"schema", kArchiveSchema}, {"study", archive.study}, {"scale", workload::name(archive.scale)},
      {"statistics", names},      {"machines", texts},      {"designs", designs},
      {"points", points}};
  return compressed(json.dump(), 19);
}

Archive unpack(std::string_view bytes, const std::string& file) {
  try {
    const Json json = parse_json<Json>(archived_text(bytes));
    if (json.at("schema") != kArchiveSchema) throw Error("written by another version of heddle");
    Archive a;
    a.study = json.at("study");
    a.scale = scale_named(json.at("scale").get<std::string>());
    const std::vector<std::string> names = json.at("statistics"), texts = json.at("machines");
    for (const Json& d : json.at("designs"))
      a.machines.emplace_back(d.at(0), texts.at(d.at(1).get<std::size_t>()));
    for (const Json& p : json.at("points")) a.points.push_back(point_of(p, names, texts, a.scale));
    EnergyOfResults energies;
    for (ArchivedPoint& p : a.points) energies.add(p.result, p.point.machine, p.point.gpu);
    return a;
  } catch (const Error& e) {
    throw Error(SourcePlace{file, 0, 0, {}}, fmt::format("no archive of a study: {}", e.message()), kAgain);
  } catch (const std::exception& e) {  // JSON of another shape
    throw Error(SourcePlace{file, 0, 0, {}}, fmt::format("no archive of a study: {}", e.what()), kAgain);
  }
}

KnownCosts costs_of(const Archive& archive) {
  KnownCosts all;
  std::map<KnownCosts::key_type, std::size_t> points;
  for (const ArchivedPoint& p : archive.points) {
    const KnownCosts::key_type name{p.point.workload, p.point.scale};
    Cost& c = all[name];
    c.cpu_seconds += p.result.cpu_seconds;
    c.memory_bytes = std::max(c.memory_bytes, p.result.memory_bytes);
    ++points[name];
  }
  for (auto& [name, cost] : all) cost.cpu_seconds /= static_cast<double>(points[name]);
  return all;
}

std::vector<std::size_t> sample(const Archive& archive, std::size_t n) {
  std::vector<std::size_t> order(archive.points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return archive.points[a].result.cpu_seconds < archive.points[b].result.cpu_seconds;
  });
  std::vector<std::size_t> chosen;
  std::set<std::size_t> taken;
  bool only_once = n == 0;
  const std::size_t most = n == 0 ? order.size() : std::min(n, order.size());
  // Rounds: in each, every design that still has points gets one.
  for (bool any = true; any && chosen.size() < most;) {
    any = false;
    std::set<std::string> covered;
    for (const std::size_t i : order) {
      const auto& cells = archive.points[i].cells;
      const bool fresh =
          std::any_of(cells.begin(), cells.end(), [&](const Cell& c) { return !covered.contains(c.design); });
      if (!fresh || taken.contains(i) || chosen.size() == most) continue;
      for (const Cell& c : cells) covered.insert(c.design);
      taken.insert(i);
      chosen.push_back(i);
      any = true;
    }
    if (only_once) break;
  }
  return chosen;
}

std::vector<std::string> differences(const Result& archived, const Result& now) {
  std::vector<std::string> all;
  const auto show = [](const Result& r, const std::string& name) {
    if (!r.has(name)) return std::string("not there");
    const double v = r.value(name);
    return std::isnan(v) ? std::string("no value") : fmt::format("{}", v);
  };
  if (archived.input_hash != now.input_hash) all.push_back("the input differs");
  if (archived.verified != now.verified) all.push_back("whether the result is right differs");
  for (const auto& [name, value] : archived.statistics()) {
    if (is_energy(name)) continue;  // follows from the others
    const std::string before = show(archived, name), after = show(now, name);
    if (before != after) all.push_back(fmt::format("{}: {} archived, {} now", name, before, after));
  }
  return all;
}

}  // namespace heddle::study
