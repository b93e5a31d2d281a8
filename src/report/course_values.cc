#include "report/course_values.h"

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
using Names = std::vector<const char*>;  // of counters, added up

struct Shown {
  const char *name, *title, *unit, *group;
  Names over;
  // Empty: per cycle. "most": of the most that the cycles can have.
  Names under = {};
};

constexpr const char* kIssue = "issue stalls";
constexpr const char* kOfSms = "share of SM cycles";
const Names kMost = {"most"};

const std::vector<Shown>& shown() {
  static const std::vector<Shown> all = {
      {"ipc", "IPC", "warp instructions per cycle", "", {"sm.instructions"}},
      {"issue.issuing", "issues", kOfSms, kIssue, {"sm.issuing_cycles"}, kMost},
      {"issue.memory", "waits for memory", kOfSms, kIssue, {"sm.stall_memory"}, kMost},
      {"issue.dependency", "waits for results", kOfSms, kIssue, {"sm.stall_dependency"}, kMost},
      {"issue.unit", "unit busy", kOfSms, kIssue, {"sm.stall_unit"}, kMost},
      {"issue.lsu", "load/store queue full", kOfSms, kIssue, {"sm.stall_lsu"}, kMost},
      {"issue.barrier", "waits at barriers", kOfSms, kIssue, {"sm.stall_barrier"}, kMost},
      {"issue.drain", "stores under way", kOfSms, kIssue, {"sm.stall_drain"}, kMost},
      {"l1.use", "L1s: requests", "share of one per cycle", "use", {"sm.requests_sent"}, kMost},
      {"l1.hits", "L1 read hits", "share of reads", "hits", {"l1.reads_hits"}, {"l1.reads_in"}},
      {"mshr.use", "L1 MSHRs in use", "share of MSHRs", "use", {"l1.mshr_cycles"}, kMost},
      {"cluster.merged",
       "merged or held at the clusters' ports",
       "share of requests",
       "hits",
       {"merger.merged", "merger.held"},
       {"merger.offered"}},
      {"request.use", "request network", "share of flits", "use", {"request_network.flits"}, kMost},
      {"reply.use", "reply network", "share of flits", "use", {"reply_network.flits"}, kMost},
      {"l2.use", "L2 data ports", "share of cycles", "use", {"l2.port_cycles"}, kMost},
      {"l2.hits", "L2 read hits", "share of reads", "hits", {"l2.read_hits"}, {"l2.reads"}},
      {"dram.use", "DRAM data buses", "share of ticks", "use", {"dram.busy_ticks"}, kMost},
      {"dram.bytes", "DRAM traffic", "bytes per cycle", "", {"dram.read_bytes", "dram.write_bytes"}},
      {"dram.row_hits",
       "DRAM row hits",
       "share of transfers",
       "hits",
       {"dram.row_hits"},
       {"dram.row_hits", "dram.row_misses", "dram.row_conflicts"}},
  };
  return all;
}

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

  Json values(const Shown& s) const {
    const std::vector<double> over = sum(s.over);
    const bool of_most = s.under == kMost;
    const std::vector<double> under = s.under.empty() || of_most ? cycles_ : sum(s.under);
    const double most = of_most ? series_.at("most_per_cycle").at(s.over.front()).get<double>() : 1;
    Json all = Json::array();
    for (std::size_t i = 0; i < samples_; ++i) {
      const double below = under[i] * most;
      // What takes several cycles counts when it begins: a sample may have a little more than its share.
      const double value = over[i] / below;
      all.push_back(below == 0 ? Json() : brief(s.under.empty() ? value : std::min(1.0, value)));
    }
    return all;
  }

  // The rest of the SMs' cycles: nothing is on them.
  Json idle() const {
    Names all;
    for (const Shown& s : shown())
      if (s.group == kIssue) all.push_back(s.over.front());
    const std::vector<double> busy = sum(all);
    const double sms = series_.at("most_per_cycle").at(all.front());
    Json out = Json::array();
    for (std::size_t i = 0; i < samples_; ++i)
      out.push_back(brief(std::max(0.0, 1 - busy[i] / (sms * cycles_[i]))));
    return out;
  }

 private:
  std::vector<double> sum(const Names& names) const {
    std::vector<double> all(samples_, 0);
    for (const char* name : names) {
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

Json detail_values(const Json& detail) {
  if (detail.at("schema") != study::kDetailSchema)
    throw Error(fmt::format("a detail has the schema '{}', expected '{}'",
                            printable(detail.at("schema").get<std::string>()), study::kDetailSchema),
                "another version of heddle wrote it");
  const Json& counted = detail.at("series");
  const Series series(counted);
  Json values = Json::object(), about = Json::object();
  const auto add = [&](const char* name, const char* title, const char* unit, const char* group, Json v) {
    values[name] = std::move(v);
    about[name] = {{"title", title}, {"unit", unit}, {"group", group}};
  };
  for (const Shown& s : shown()) {
    add(s.name, s.title, s.unit, s.group, series.values(s));
    if (std::string_view(s.name) == "issue.drain")
      add("issue.idle", "no warps", kOfSms, kIssue, series.idle());
  }
  Json out;
  for (const char* same : {"cycles", "launches"}) out[same] = detail.at(same);
  out["series"] = {{"from", counted.at("from")}, {"until", counted.at("until")}, {"values", values}};
  out["series_about"] = std::move(about);
  for (const char* same : {"ctas", "traffic", "banks"}) out[same] = detail.at(same);
  return out;
}

}  // namespace heddle::report
