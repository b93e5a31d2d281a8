#include "apps/cli/reports/load_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "study/evaluation/table.h"

namespace heddle::cli {
namespace {

using noc::LoadPoint;
using Json = nlohmann::ordered_json;

std::string busiest_link(const LoadPoint& p) {
  return p.links.empty() ? "-" : fmt::format("{:.3f} {}", p.links.front().load, p.links.front().name);
}

// Links of the highest rate with which the network keeps up.
std::string busy_links(const LoadReport& r) {
  const LoadPoint* last = nullptr;
  for (const LoadPoint& p : r.points)
    if (p.keeps_up && !p.links.empty()) last = &p;
  if (last == nullptr) return {};
  std::string text = fmt::format("Busiest links at {:.3f}:", last->offered);
  for (std::size_t k = 0; k < last->links.size(); ++k)
    text += fmt::format("{} {} {:.3f}", k == 0 ? "" : ",", last->links[k].name, last->links[k].load);
  return text + ".\n";
}

}  // namespace

std::string load_text(const LoadReport& r) {
  study::Table t;
  t.title = fmt::format("{}: {} traffic, packets of {} flit{}", r.network, r.pattern, r.flits,
                        r.flits == 1 ? "" : "s");
  t.columns = {{"offered", true}, {"accepted", true}, {"latency", true}, {"99%", true},
               {"longest", true}, {"inside", true},   {"output", true},  {"busiest link", false}};
  for (const LoadPoint& p : r.points)
    t.rows.push_back({fmt::format("{:.3f}", p.offered), fmt::format("{:.3f}", p.accepted),
                      fmt::format("{:.1f}{}", p.latency, p.keeps_up ? "" : "+"), fmt::format("{}", p.p99),
                      fmt::format("{}", p.longest), fmt::format("{:.1f}", p.network_latency),
                      fmt::format("{:.3f}", p.busiest_output), busiest_link(p)});
  std::string text = as_text(t);
  text += fmt::format("\nAt zero load {:.1f} cycles.", r.zero_load);
  if (r.peak > 0) text += fmt::format(" Ports and links allow {:.3f}.", r.peak);
  if (r.saturation) text += fmt::format(" Saturation (three times that latency): {:.3f}.", *r.saturation);
  text += "\n" + busy_links(r);
  bool behind = false;
  for (const LoadPoint& p : r.points) behind |= !p.keeps_up;
  if (behind) text += "+: the network does not keep up; latency grows as long as it is measured.\n";
  if (r.cut) text += "Higher rates were left out: it did not keep up with two in a row.\n";
  return text;
}

std::string load_csv(const LoadReport& r) {
  std::string text =
      "offered,accepted,latency,p99,longest,network_latency,packets,keeps_up,busiest_output,busiest_link,"
      "busiest_link_load\n";
  for (const LoadPoint& p : r.points)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", p.offered, p.accepted, p.latency, p.p99,
                        p.longest, p.network_latency, p.packets, p.keeps_up ? 1 : 0, p.busiest_output,
                        p.links.empty() ? "" : p.links.front().name,
                        p.links.empty() ? 0.0 : p.links.front().load);
  return text;
}

nlohmann::ordered_json load_json(const LoadReport& r) {
  Json points = Json::array();
  for (const LoadPoint& p : r.points) {
    Json links = Json::array();
    for (const noc::BusyLink& l : p.links) links.push_back({{"link", l.name}, {"load", l.load}});
    points.push_back({{"offered", p.offered},
                      {"accepted", p.accepted},
                      {"latency", p.latency},
                      {"p99", p.p99},
                      {"longest", p.longest},
                      {"network_latency", p.network_latency},
                      {"packets", p.packets},
                      {"keeps_up", p.keeps_up},
                      {"busiest_output", p.busiest_output},
                      {"busiest_links", std::move(links)}});
  }
  Json all = {{"schema", "heddle.noc/1"}, {"network", r.network},
              {"pattern", r.pattern},     {"flits", r.flits},
              {"seed", r.seed},           {"zero_load_latency", r.zero_load},
              {"peak", r.peak},           {"points", std::move(points)}};
  if (r.saturation) all["saturation"] = *r.saturation;
  return all;
}

}  // namespace heddle::cli
