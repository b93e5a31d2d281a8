#include "study/run/result.h"

#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/suggest.h"
#include "gpu/stages.h"
#include "stats/registry.h"
#include "study/run/json_text.h"
#include "study/run/record.h"

namespace heddle::study {
namespace {

constexpr const char* kHistogramParts[] = {"samples", "sum", "mean", "largest"};
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

double value_of(const nlohmann::json& value) {
  return value.is_null() ? kNoValue : value.get<double>();
}

}  // namespace

Result Result::parse(std::string_view text) {
  try {
    const nlohmann::json json = parse_json<nlohmann::json>(text);
    if (json.at("schema") != kSchema)
      throw Error(fmt::format("a record has the schema '{}', expected '{}'",
                              json.at("schema").get<std::string>(), kSchema),
                  "another version of heddle wrote it");
    Result r;
    for (const auto& [name, one] : json.at("statistics").items()) {
      const nlohmann::json& value = one.at("value");
      if (!value.is_object()) {
        r.statistics_.emplace(name, value_of(value));
        continue;
      }
      for (const char* part : kHistogramParts)
        r.statistics_.emplace(fmt::format("{}.{}", name, part), value_of(value.at(part)));
    }
    const nlohmann::json& v = json.at("verification");
    r.verified = v.is_null() || v.at("ok").get<bool>();
    if (!v.is_null()) r.compared = v.at("compared");
    if (!r.verified) r.problem = v.at("detail");
    r.complete = json.value("complete", true);
    r.source_hash = json.at("build").at("source_hash");
    r.input_hash = json.at("workload").at("input_hash");
    r.cpu_seconds = json.at("host").at("cpu_seconds");
    r.memory_bytes = json.at("host").at("memory_bytes");
    return r;
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("not a record of heddle ({}): {}", kSchema, e.what()));
  }
}

bool Result::has(std::string_view statistic) const {
  return statistics_.contains(statistic);
}

double Result::value(std::string_view statistic) const {
  if (const auto at = statistics_.find(statistic); at != statistics_.end()) return at->second;
  std::vector<std::string> names;
  for (const auto& [name, value] : statistics_) names.push_back(name);
  const std::string hint = did_you_mean(statistic, names);
  throw Error(fmt::format("there is no statistic '{}' in the record", statistic),
              hint.empty() ? "heddle explain --all lists them" : hint);
}

const std::vector<std::string>& statistic_names() {
  static const std::vector<std::string> kNames = [] {
    stats::Registry all;
    all.declare("", gpu::every_statistic());
    std::vector<std::string> names;
    for (const stats::Info& s : all.all()) {
      if (s.kind != stats::Kind::Histogram) {
        names.push_back(s.name);
        continue;
      }
      for (const char* part : kHistogramParts) names.push_back(fmt::format("{}.{}", s.name, part));
    }
    return names;
  }();
  return kNames;
}

}  // namespace heddle::study
