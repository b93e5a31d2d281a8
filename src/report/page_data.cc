#include "report/page_data.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "base/version.h"
#include "report/funnel_columns.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;
using Runs = std::span<const std::shared_ptr<const PageRun>>;

// Each text once.
class Numbered {
 public:
  std::size_t operator()(const std::string& text) {
    const auto [at, is_new] = numbers_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

// The statistics of all runs as columns: in the order of the first run, then what others have beside.
class Columns {
 public:
  explicit Columns(Runs runs) {
    for (const auto& run : runs)
      for (const PageRun::Statistic& s : run->statistics)
        if (at_.emplace(s.name, at_.size()).second)
          about_.push_back({{"name", s.name}, {"unit", s.unit}, {"about", s.about}});
  }
  const Json& about() const { return about_; }
  Json values(const PageRun& run) const {
    std::vector<Json> row(at_.size());
    for (const PageRun::Statistic& s : run.statistics) row[at_.at(s.name)] = s.value;
    return row;
  }

 private:
  std::map<std::string, std::size_t> at_;
  Json about_ = Json::array();
};

// Runs of the same input for the same study, by design; of several the last one.
struct Case {
  const PageRun* first = nullptr;
  std::vector<std::string> designs;
  std::map<std::string, std::string> ids;  // by design
};

Json comparison(const Case& c, const std::string& wanted) {
  const std::string& baseline = c.ids.contains(wanted) ? wanted : c.designs.front();
  Json ids = Json::array({c.ids.at(baseline)});
  for (const std::string& d : c.designs)
    if (d != baseline) ids.push_back(c.ids.at(d));
  return {{"workload", c.first->workload},
          {"scale", c.first->scale},
          {"baseline", c.ids.at(baseline)},
          {"runs", std::move(ids)}};
}

Json comparisons(const PageHead& head, Runs runs) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::uint64_t>;
  std::map<Key, std::size_t> numbers;
  std::vector<std::pair<std::string, Case>> cases;  // with their study
  for (const auto& run : runs)
    for (const study::Label& l : run->labels) {
      if (!l.perturbation.empty()) continue;
      const Key key{l.study, run->workload, run->contents, run->scale, run->seed};
      const auto [at, is_new] = numbers.emplace(key, cases.size());
      if (is_new) cases.push_back({l.study, {run.get(), {}, {}}});
      Case& c = cases[at->second].second;
      if (c.ids.insert_or_assign(l.design, run->id).second) c.designs.push_back(l.design);
    }
  Json all = Json::array();
  for (const auto& [study, c] : cases) {
    const auto wanted = head.baselines.find(study);
    if (c.designs.size() > 1)
      all.push_back(comparison(c, wanted == head.baselines.end() ? "" : wanted->second));
  }
  return all;
}

Json progress(const std::vector<study::LiveBatch>& batches) {
  Json running = Json::array();
  std::size_t done = 0, of = 0;
  double left = 0;
  for (const study::LiveBatch& b : batches) {
    done += b.done;
    of += b.of;
    left = b.left_seconds < 0 || left < 0 ? -1 : std::max(left, b.left_seconds);
    for (const std::string& name : b.running) running.push_back(name);
  }
  return {{"done", done}, {"of", of}, {"seconds_left", left < 0 ? Json() : Json(left)}, {"running", running}};
}

}  // namespace

Json page_data(const PageHead& head, Runs runs) {
  const BuildInfo& build = build_info();
  Json page = {{"schema", "heddle.page/1"},
               {"title", head.title},
               {"made",
                {{"version", build.release},
                 {"source", build.source_hash.substr(0, 12)},
                 {"written", head.written},
                 {"command", head.command}}},
               {"live", head.live}};
  if (head.live && !head.batches.empty()) page["progress"] = progress(head.batches);
  const Columns columns(runs);
  FunnelColumns funnels;
  for (const auto& run : runs)
    if (run->members.contains("funnel")) funnels.add(run->members.at("funnel"));
  Numbered configurations;
  Json all = Json::array();
  for (const auto& run : runs) {
    Json one = run->members;
    one["configuration"] = configurations(run->configuration);
    one["stats"] = columns.values(*run);
    if (one.contains("funnel")) one["funnel"] = funnels.values(one.at("funnel"));
    all.push_back(std::move(one));
  }
  page["statistics"] = columns.about();
  page["funnel"] = funnels.head();
  page["configurations"] = configurations.texts();
  page["runs"] = std::move(all);
  page["comparisons"] = comparisons(head, runs);
  page["figures"] = head.figures;
  return page;
}

std::string usual_title(Runs runs) {
  std::set<std::string> workloads, machines;
  for (const auto& run : runs) {
    workloads.insert(run->workload);
    machines.insert(run->machine);
  }
  if (workloads.empty()) return "No runs yet";
  const auto words = [](const std::set<std::string>& names, const char* noun) {
    return names.size() == 1 ? *names.begin() : counted(names.size(), noun);
  };
  return fmt::format("{} on {}", words(workloads, "workload"), words(machines, "machine"));
}

}  // namespace heddle::report
