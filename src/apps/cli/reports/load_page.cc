#include "apps/cli/reports/load_page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using PageJson = nlohmann::ordered_json;

PageJson page_point(const noc::LoadPoint& p) {
  PageJson link_flits = PageJson::array();
  for (const noc::LinkLoad& l : p.links) link_flits.push_back(l.flits);
  PageJson all = point_json(p);
  all["network_cycles"] = p.network_cycles;
  all["output_flits"] = p.output_flits;
  all["link_flits"] = std::move(link_flits);
  return all;
}

PageJson page_curve(const LoadReport& r, const LoadCurve& c) {
  PageJson links = PageJson::array(), points = PageJson::array();
  if (!c.points.empty())
    for (const noc::LinkLoad& l : c.points.front().links)
      links.push_back({{"name", l.name}, {"from", l.from}, {"to", l.to}});
  for (const noc::LoadPoint& p : c.points) points.push_back(page_point(p));
  PageJson one = {{"name", r.compared.empty() ? c.network : fmt::format("{} = {}", r.compared, c.value)},
                  {"network", c.network},
                  {"zero_load_latency", c.zero_load},
                  {"peak", c.peak > 0 ? PageJson(c.peak) : PageJson()},
                  {"saturation", c.saturation ? PageJson(*c.saturation) : PageJson()},
                  {"cut", c.cut},
                  {"senders", c.senders},
                  {"receivers", c.receivers},
                  {"links", std::move(links)},
                  {"points", std::move(points)}};
  if (c.floor)
    one["floor"] = {{"width", c.floor->width},
                    {"height", c.floor->height},
                    {"inputs", c.floor->inputs},
                    {"outputs", c.floor->outputs}};
  return one;
}

}  // namespace

nlohmann::ordered_json load_page(const LoadReport& r) {
  PageJson configurations = PageJson::array(), curves = PageJson::array();
  for (const LoadCurve& c : r.curves) {
    curves.push_back(page_curve(r, c));
    curves.back()["configuration"] = configurations.size();
    configurations.push_back(c.configuration);
  }
  return {{"configurations", std::move(configurations)},
          {"noc",
           {{"pattern", r.pattern},
            {"flits", r.flits},
            {"seed", r.seed},
            {"warm_up", r.warm_up},
            {"cycles", r.cycles},
            {"compared", r.compared},
            {"curves", std::move(curves)}}}};
}

}  // namespace heddle::cli
