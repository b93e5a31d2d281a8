#include "study/run/detail.h"

#include <nlohmann/json.hpp>

namespace heddle::study {
namespace {

using Json = nlohmann::ordered_json;

Json rows(const gpu::Grid& g) {
  Json all = Json::array();
  for (std::uint32_t r = 0; r < g.rows; ++r) {
    Json row = Json::array();
    for (std::uint32_t c = 0; c < g.columns; ++c) row.push_back(g.at(r, c));
    all.push_back(std::move(row));
  }
  return all;
}

Json head(const gpu::Grid& g, const char* row, const char* column) {
  return {{"rows", g.rows}, {"columns", g.columns}, {"row_name", row}, {"column_name", column}};
}

Json series(const gpu::RunDetail& d) {
  Json from = Json::array(), until = Json::array(), counts = Json::object(), most = Json::object();
  for (const gpu::SeriesSample& s : d.samples) {
    from.push_back(s.from);
    until.push_back(s.until);
  }
  for (std::size_t i = 0; i < d.series.size(); ++i) {
    const mem::Series& one = d.series[i];
    Json values = Json::array();
    for (const gpu::SeriesSample& s : d.samples) values.push_back(s.in[i]);
    counts[one.statistic] = std::move(values);
    if (one.most_per_cycle != 0) most[one.statistic] = one.most_per_cycle;
  }
  return {{"from", from}, {"until", until}, {"counts", counts}, {"most_per_cycle", most}};
}

Json ctas(const gpu::RunDetail& d) {
  Json launch = Json::array(), cta = Json::array(), sm = Json::array(), from = Json::array(),
       until = Json::array();
  for (const gpu::RunDetail::Cta& c : d.ctas) {
    launch.push_back(c.launch);
    cta.push_back(c.cta);
    sm.push_back(c.sm);
    from.push_back(c.from);
    until.push_back(c.until);
  }
  return {{"sms", d.sms}, {"launch", launch}, {"cta", cta},     {"sm", sm},
          {"from", from}, {"until", until},   {"of", d.ctas_of}};
}

}  // namespace

Json to_json(const gpu::RunDetail& d) {
  Json launches = Json::array();
  for (const gpu::RunDetail::Launch& l : d.launches)
    launches.push_back({{"kernel", l.kernel}, {"from", l.from}, {"until", l.until}});
  Json traffic = head(d.requests, "cluster", "partition");
  traffic["requests"] = rows(d.requests);
  traffic["replies"] = rows(d.replies);
  Json banks = head(d.row_hits, "channel", "bank");
  banks["hits"] = rows(d.row_hits);
  banks["accesses"] = rows(d.row_accesses);
  return {{"schema", kDetailSchema}, {"cycles", d.cycles}, {"launches", launches}, {"series", series(d)},
          {"ctas", ctas(d)},         {"traffic", traffic}, {"banks", banks}};
}

std::string to_text(const gpu::RunDetail& d) {
  return to_json(d).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace heddle::study
