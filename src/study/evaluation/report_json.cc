#include <nlohmann/json.hpp>

#include "base/version.h"
#include "study/evaluation/report.h"

namespace heddle::study {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Table& t) {
  Json rows = Json::array();
  for (const auto& row : t.rows) {
    Json one = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) one[t.columns[i].name] = row[i];
    rows.push_back(std::move(one));
  }
  return {{"id", t.id}, {"title", t.title}, {"rows", rows}};
}

Json to_json(const Measured& m) {
  if (!m.ok()) return nullptr;
  Json json = {{"mean", m.mean}, {"low", m.low}, {"high", m.high}, {"runs", m.runs}};
  if (!m.workload.empty()) json["workload"] = m.workload;
  return json;
}

}  // namespace

Json StudyReport::json() const {
  Json tables = Json::array(), rows = Json::array(), states = Json::object(), apart = Json::object();
  for (const Table& t : figures()) tables.push_back(to_json(t));
  for (const Scored& s : scored_) {
    const Target& t = s.row->target;
    rows.push_back({{"figure", t.figure},
                    {"workload", t.workload},
                    {"config", t.config},
                    {"metric", t.metric},
                    {"baseline", t.baseline},
                    {"paper", s.paper},
                    {"unit", t.unit},
                    {"ours", to_json(s.ours)},
                    {"state", name(s.state)},
                    {"reason", s.reason},
                    {"not_counted", t.not_counted}});
  }
  const Tally t = tally(scored_);
  for (const auto& [state, n] : t.states) states[std::string(name(state))] = n;
  for (const auto& [origin, n] : t.not_counted) apart[std::string(name(origin))] = n;
  return {{"schema", "heddle.study/2"},
          {"study", study_.name},
          {"machine", study_.machine},  // empty: the study's own
          {"scale", workload::name(selected_.scale)},
          {"source_hash", build_info().source_hash},
          {"tables", tables},
          {"score", rows},
          {"counts", states},
          {"ranges", t.ranges},
          {"not_counted", apart},
          {"headline", headline(t)}};
}

}  // namespace heddle::study
