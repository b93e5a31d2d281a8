// `heddle results export`: many points as one table.
#include <cmath>
#include <iostream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/commands.h"
#include "apps/cli/inputs/results_selection.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "study/run/json_text.h"
#include "study/run/result.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using study::StoredPoint;

void put(const std::string& file, const std::string& text) {
  if (file == "-")
    std::cout << text;
  else
    write_file(file, text);
}

// One row per point and label; a point without labels has one.
std::string csv(const study::Store& store, const std::vector<SelectedPoint>& selected,
                std::vector<std::string> statistics) {
  std::vector<study::Result> results;
  std::set<std::string> names;
  for (const SelectedPoint& s : selected) {
    results.push_back(study::Result::parse(required_record(store, s.kept.key)));
    for (const auto& [name, value] : results.back().statistics()) names.insert(name);
  }
  // Without a choice: whatever any of them has; records of several sources may differ.
  const bool chosen = !statistics.empty();
  if (!chosen) statistics.assign(names.begin(), names.end());
  std::string out =
      "key,study,design,perturbation,workload,scale,seed,gpu,source_hash,finished,verified,cpu_seconds,"
      "memory_bytes";
  for (const std::string& name : statistics) out += "," + csv_field(name);
  out += "\n";
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const StoredPoint& k = selected[i].kept;
    std::string values;
    for (const std::string& name : statistics) {
      // value() throws with the nearest name for one that was asked for by a wrong one.
      const double v = chosen || results[i].has(name) ? results[i].value(name) : std::nan("");
      values += std::isfinite(v) ? fmt::format(",{}", v) : ",";
    }
    std::vector<study::Label> labels = selected[i].labels;
    if (labels.empty()) labels.emplace_back();
    for (const study::Label& l : labels)
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}{}\n", k.key, csv_field(l.study),
                         csv_field(l.design), csv_field(l.perturbation), csv_field(k.point.workload),
                         workload::name(k.point.scale), k.point.seed, csv_field(k.point.gpu), k.source_hash,
                         k.finished, k.verified ? 1 : 0, k.cpu_seconds, k.memory_bytes, values);
  }
  return out;
}

std::string json(const study::Store& store, const std::vector<SelectedPoint>& selected,
                 const std::vector<std::string>& statistics) {
  Json points = Json::array();
  for (const SelectedPoint& s : selected) {
    const std::string record = required_record(store, s.kept.key);
    Json labels = Json::array();
    for (const study::Label& l : s.labels)
      labels.push_back({{"study", l.study}, {"design", l.design}, {"perturbation", l.perturbation}});
    Json one = {{"key", s.kept.key}, {"finished", s.kept.finished}, {"labels", labels}};
    if (statistics.empty()) {
      one["record"] = study::parse_json<Json>(record);
    } else {
      const study::Result r = study::Result::parse(record);
      one["workload"] = s.kept.point.workload;
      one["scale"] = workload::name(s.kept.point.scale);
      one["seed"] = s.kept.point.seed;
      one["gpu"] = s.kept.point.gpu;
      one["source_hash"] = s.kept.source_hash;
      one["verified"] = s.kept.verified;
      for (const std::string& name : statistics) one["statistics"][name] = r.value(name);
    }
    points.push_back(std::move(one));
  }
  return Json{{"schema", "heddle.results/1"}, {"points", std::move(points)}}.dump(1) + "\n";
}

}  // namespace

int results_export_command(const ResultsExportOptions& o) {
  if (o.csv.empty() == o.json.empty())
    throw Error("say as what and where: --csv FILE or --json FILE ('-': standard output)");
  const study::Store store = open_results(o.filter.store);
  const std::vector<SelectedPoint> selected = select(store, o.filter);
  if (!o.csv.empty())
    put(o.csv, csv(store, selected, o.statistics));
  else
    put(o.json, json(store, selected, o.statistics));
  return 0;
}

}  // namespace heddle::cli
