#include "report/curve_values.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "study/run/detail.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;
using mem::Curve;
using Names = std::vector<std::string>;  // of counters, added up

// Five digits are more than anyone sees, and a third of the file.
Json brief(double value) {
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

class Series {
 public:
  explicit Series(const Json& series) : series_(series), samples_(series.at("from").size()) {
    for (std::size_t i = 0; i < samples_; ++i)
      cycles_.push_back(series.at("until").at(i).get<double>() - series.at("from").at(i).get<double>());
  }

  // Whether everything was counted that the curve needs.
  bool has(const Curve& c) const {
    const auto counted = [&](const std::string& name) { return series_.at("counts").contains(name); };
    return std::all_of(c.over.begin(), c.over.end(), counted) &&
           std::all_of(c.under.begin(), c.under.end(), counted);
  }

  Json values(const Curve& c) const {
    const std::vector<double> over = sum(c.over);
    const bool of_most = c.of == Curve::Of::Most || c.of == Curve::Of::Rest;
    const std::vector<double> under = c.of == Curve::Of::Others ? sum(c.under) : cycles_;
    const double most = of_most ? series_.at("most_per_cycle").at(c.over.front()).get<double>() : 1;
    Json all = Json::array();
    for (std::size_t i = 0; i < samples_; ++i) {
      const double below = under[i] * most;
      if (below == 0)
        all.emplace_back();
      else
        all.push_back(brief(shown(c, over[i] / below)));
    }
    return all;
  }

 private:
  // What takes several cycles counts when it begins: a sample may have a little more than its share.
  static double shown(const Curve& c, double value) {
    if (c.of == Curve::Of::Cycles) return value * c.times;
    return c.of == Curve::Of::Rest ? std::max(0.0, 1 - value) : std::min(1.0, value);
  }
  std::vector<double> sum(const Names& names) const {
    std::vector<double> all(samples_, 0);
    for (const std::string& name : names) {
      const Json& counts = series_.at("counts").at(name);
      for (std::size_t i = 0; i < samples_; ++i) all[i] += counts.at(i).get<double>();
    }
    return all;
  }

  const Json& series_;
  std::size_t samples_;
  std::vector<double> cycles_;
};

}  // namespace

Json detail_values(const Json& detail, const std::vector<Curve>& curves) {
  if (detail.at("schema") != study::kDetailSchema)
    throw Error(fmt::format("a detail has the schema '{}', expected '{}'",
                            printable(detail.at("schema").get<std::string>()), study::kDetailSchema),
                "another version of heddle wrote it");
  const Json& counted = detail.at("series");
  const Series series(counted);
  Json values = Json::object(), about = Json::object();
  for (const Curve& c : curves) {
    if (!series.has(c)) continue;
    values[c.name] = series.values(c);
    Json& of = about[c.name] = {{"title", c.title}, {"unit", c.unit}, {"group", c.group}};
    if (c.stacked) of["stacked"] = true;
  }
  Json out;
  for (const char* same : {"cycles", "launches"}) out[same] = detail.at(same);
  out["series"] = {{"from", counted.at("from")}, {"until", counted.at("until")}, {"values", values}};
  out["series_about"] = std::move(about);
  for (const char* same : {"ctas", "traffic", "banks"}) out[same] = detail.at(same);
  return out;
}

}  // namespace heddle::report
