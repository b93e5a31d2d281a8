#include "study/spool/spool_plan.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/version.h"
#include "study/run/json_text.h"

namespace heddle::study {
namespace {

using Json = nlohmann::ordered_json;

Point parse_point(const Json& j, const std::vector<std::string>& machines) {
  Point p;
  p.workload = j.at("workload");
  p.contents = j.at("contents");
  const std::string scale = j.at("scale");
  const auto known = workload::parse_scale(scale);
  if (!known) throw Error(fmt::format("'{}' is not a scale", scale));
  p.scale = *known;
  p.seed = j.at("seed");
  p.gpu = j.at("gpu");
  p.machine = machines.at(j.at("machine").get<std::size_t>());
  return p;
}

SpoolTask parse_task(const Json& j, std::size_t points) {
  SpoolTask t;
  t.points = j.at("points").get<std::vector<std::size_t>>();
  t.seconds = j.at("seconds");
  t.limits.memory_mib = j.at("memory_mib");
  t.limits.minutes = j.at("minutes");
  for (const std::size_t p : t.points)
    if (p >= points) throw Error(fmt::format("a task names point {} of {}", p, points));
  return t;
}

}  // namespace

SpoolPlan SpoolPlan::of(std::vector<Point> points, std::vector<SpoolTask> tasks) {
  SpoolPlan plan;
  plan.source_hash = build_info().source_hash;
  plan.points = std::move(points);
  plan.tasks = std::move(tasks);
  for (const Point& p : plan.points) plan.keys.push_back(p.key());
  return plan;
}

std::string SpoolPlan::identity() const {
  std::vector<std::string> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  std::string all = "heddle.plan/1\n";
  for (const std::string& key : sorted) all += key + "\n";
  return sha256_hex(all).substr(0, 16);
}

std::string to_text(const SpoolPlan& plan) {
  std::map<std::string_view, std::size_t> at;
  Json machines = Json::array(), points = Json::array(), tasks = Json::array();
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const Point& p = plan.points[i];
    const auto [machine, is_new] = at.emplace(p.machine, at.size());
    if (is_new) machines.push_back(p.machine);
    points.push_back({{"key", plan.keys[i]},
                      {"workload", p.workload},
                      {"contents", p.contents},
                      {"scale", workload::name(p.scale)},
                      {"seed", p.seed},
                      {"gpu", p.gpu},
                      {"machine", machine->second}});
  }
  for (const SpoolTask& t : plan.tasks)
    tasks.push_back({{"points", t.points},
                     {"seconds", t.seconds},
                     {"memory_mib", t.limits.memory_mib},
                     {"minutes", t.limits.minutes}});
  const Json all = {{"source_hash", plan.source_hash},
                    {"machines", std::move(machines)},
                    {"workloads", plan.workloads},
                    {"points", std::move(points)},
                    {"tasks", std::move(tasks)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SpoolPlan parse_plan(std::string_view text) {
  try {
    const Json all = parse_json<Json>(text);
    SpoolPlan plan;
    plan.source_hash = all.at("source_hash");
    plan.workloads = all.at("workloads").get<std::map<std::string, std::string>>();
    const auto machines = all.at("machines").get<std::vector<std::string>>();
    for (const Json& p : all.at("points")) {
      plan.points.push_back(parse_point(p, machines));
      plan.keys.push_back(p.at("key"));
    }
    for (const Json& t : all.at("tasks")) plan.tasks.push_back(parse_task(t, plan.points.size()));
    return plan;
  } catch (const std::exception& e) {  // JSON's, an index's, or our own
    throw Error(fmt::format("not a plan of heddle: {}", e.what()));
  }
}

}  // namespace heddle::study
