#include "apps/cli/reports/load_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "study/evaluation/table.h"

namespace heddle::cli {
namespace {

using noc::LoadPoint;
using Json = nlohmann::ordered_json;

constexpr std::size_t kBusiest = 8;  // links that are named

double load_of(const LoadPoint& p, const noc::LinkLoad& l) {
  return static_cast<double>(l.flits) / static_cast<double>(p.network_cycles);
}

std::string busiest_link(const LoadPoint& p) {
  const std::vector<noc::LinkLoad> links = busiest_links(p, 1);
  return links.empty() ? "-" : fmt::format("{:.3f} {}", load_of(p, links[0]), links[0].name);
}

// Links of the highest rate with which the network keeps up.
std::string busy_links(const LoadCurve& c) {
  const LoadPoint* last = nullptr;
  for (const LoadPoint& p : c.points)
    if (p.keeps_up && !busiest_links(p, 1).empty()) last = &p;
  if (last == nullptr) return {};
  std::string text = fmt::format("Busiest links at {:.3f}:", last->offered);
  const char* before = " ";
  for (const noc::LinkLoad& l : busiest_links(*last, kBusiest)) {
    text += fmt::format("{}{} {:.3f}", before, l.name, load_of(*last, l));
    before = ", ";
  }
  return text + ".\n";
}

std::string beside_the_table(const LoadCurve& c) {
  std::string text = fmt::format("At zero load {:.1f} cycles.", c.zero_load);
  if (c.peak > 0) text += fmt::format(" Ports and links allow {:.3f}.", c.peak);
  if (c.saturation) text += fmt::format(" Saturation (three times that latency): {:.3f}.", *c.saturation);
  return text + "\n" + busy_links(c);
}

bool same_network(const LoadReport& r) {
  return std::all_of(r.curves.begin(), r.curves.end(),
                     [&](const LoadCurve& c) { return c.network == r.curves.front().network; });
}

Json curve_json(const LoadCurve& c) {
  Json points = Json::array();
  for (const LoadPoint& p : c.points) {
    Json links = Json::array();
    for (const noc::LinkLoad& l : busiest_links(p, kBusiest))
      links.push_back({{"link", l.name}, {"load", load_of(p, l)}});
    points.push_back(point_json(p));
    points.back()["busiest_links"] = std::move(links);
  }
  Json all = {{"zero_load_latency", c.zero_load}, {"peak", c.peak}, {"points", std::move(points)}};
  if (c.saturation) all["saturation"] = *c.saturation;
  return all;
}

}  // namespace

Json point_json(const LoadPoint& p) {
  return {{"offered", p.offered}, {"accepted", p.accepted}, {"latency", p.latency},
          {"p99", p.p99},         {"longest", p.longest},   {"network_latency", p.network_latency},
          {"packets", p.packets}, {"keeps_up", p.keeps_up}, {"busiest_output", p.busiest_output}};
}

std::string load_title(const LoadReport& r) {
  const std::string of = r.curves.empty() || !same_network(r) ? fmt::format("{} networks", r.curves.size())
                                                              : r.curves.front().network;
  return fmt::format("{}: {} traffic, packets of {} flit{}", of, r.pattern, r.flits, r.flits == 1 ? "" : "s");
}

std::string load_text(const LoadReport& r) {
  const bool several = !r.compared.empty();
  study::Table t;
  t.title = load_title(r);
  t.columns = {{"offered", true}, {"accepted", true}, {"latency", true}, {"99%", true},
               {"longest", true}, {"inside", true},   {"output", true},  {"busiest link", false}};
  if (several) t.columns.insert(t.columns.begin(), {r.compared, false});
  bool behind = false, cut = false;
  for (const LoadCurve& c : r.curves)
    for (const LoadPoint& p : c.points) {
      t.rows.push_back({fmt::format("{:.3f}", p.offered), fmt::format("{:.3f}", p.accepted),
                        fmt::format("{:.1f}{}", p.latency, p.keeps_up ? "" : "+"), fmt::format("{}", p.p99),
                        fmt::format("{}", p.longest), fmt::format("{:.1f}", p.network_latency),
                        fmt::format("{:.3f}", p.busiest_output), busiest_link(p)});
      if (several) t.rows.back().insert(t.rows.back().begin(), c.value);
      behind |= !p.keeps_up;
    }
  std::string text = as_text(t) + "\n";
  for (const LoadCurve& c : r.curves) {
    cut |= c.cut;
    if (several) text += fmt::format("{}={}: ", r.compared, c.value);
    if (several && !same_network(r)) text += c.network + ". ";
    text += beside_the_table(c);
  }
  if (behind) text += "+: the network does not keep up; latency grows as long as it is measured.\n";
  if (cut) text += "Higher rates were left out: it did not keep up with two in a row.\n";
  return text;
}

std::string load_csv(const LoadReport& r) {
  const bool several = !r.compared.empty();
  std::string text =
      (several ? r.compared + "," : "") +
      "offered,accepted,latency,p99,longest,network_latency,packets,keeps_up,busiest_output,busiest_link,"
      "busiest_link_load\n";
  for (const LoadCurve& c : r.curves)
    for (const LoadPoint& p : c.points) {
      const std::vector<noc::LinkLoad> links = busiest_links(p, 1);
      if (several) text += csv_field(c.value) + ",";
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", p.offered, p.accepted, p.latency, p.p99,
                          p.longest, p.network_latency, p.packets, p.keeps_up ? 1 : 0, p.busiest_output,
                          links.empty() ? "" : links[0].name, links.empty() ? 0.0 : load_of(p, links[0]));
    }
  return text;
}

nlohmann::ordered_json load_json(const LoadReport& r) {
  Json all = {{"schema", "heddle.noc/1"}};
  if (r.compared.empty()) all["network"] = r.curves.front().network;
  all["pattern"] = r.pattern;
  all["flits"] = r.flits;
  all["seed"] = r.seed;
  if (r.compared.empty()) {
    all.update(curve_json(r.curves.front()));
    return all;
  }
  all["compared"] = r.compared;
  all["curves"] = Json::array();
  for (const LoadCurve& c : r.curves) {
    Json one = {{"value", c.value}, {"network", c.network}};
    one.update(curve_json(c));
    all["curves"].push_back(std::move(one));
  }
  return all;
}

}  // namespace heddle::cli
