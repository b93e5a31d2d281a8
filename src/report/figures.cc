#include "report/figures.h"

#include <algorithm>
#include <cmath>

#include "study/evaluation/report.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;
using study::Measured;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json cell(const study::FigureCell& c) {
  const Measured& m = c.ours;
  const bool range = m.ok() && m.runs > 1;
  return {{"workload", c.workload},
          {"ours", m.ok() ? number(m.mean) : Json()},
          {"low", range ? number(m.low) : Json()},
          {"high", range ? number(m.high) : Json()},
          {"paper", c.paper ? number(*c.paper) : Json()},
          {"verdict", c.verdict},
          {"counts", c.counts}};
}

bool anything_run(const study::FigureNumbers& f) {
  for (const study::FigureGroup& g : f.groups)
    if (std::any_of(g.cells.begin(), g.cells.end(), [](const auto& c) { return c.ours.ok(); })) return true;
  return std::any_of(f.checks.begin(), f.checks.end(), [](const auto& c) { return c.ours.ok(); });
}

Json figure(const study::FigureNumbers& f) {
  Json groups = Json::array(), checks = Json::array();
  for (const study::FigureGroup& g : f.groups) {
    Json cells = Json::array();
    for (const study::FigureCell& c : g.cells) cells.push_back(cell(c));
    groups.push_back({{"compared", g.compared}, {"cells", cells}});
  }
  for (const study::FigureCheck& c : f.checks)
    checks.push_back({{"name", c.check->name},
                      {"least", number(c.check->least)},
                      {"most", number(c.check->most)},
                      {"ours", c.ours.ok() ? number(c.ours.mean) : Json()},
                      {"verdict", c.verdict}});
  return {{"id", f.figure->id},
          {"title", f.figure->title},
          {"says", f.figure->says},
          {"unit", f.unit},
          {"better", f.less_is_better ? "less" : "more"},
          {"groups", groups},
          {"checks", checks}};
}

}  // namespace

Json figures(const study::Selected& selected, const study::Evidence& evidence) {
  Json all = Json::array();
  for (const study::FigureNumbers& f : study::StudyReport(selected, evidence).numbers())
    if (anything_run(f)) all.push_back(figure(f));
  return all;
}

study::Evidence evidence_of(const study::Selected& selected,
                            std::span<const std::shared_ptr<const PageRun>> runs) {
  study::Evidence evidence;
  for (const auto& run : runs) {
    if (run->scale != workload::name(selected.scale)) continue;
    for (const study::Label& l : run->labels) {
      if (l.study != selected.study.label()) continue;
      evidence.add({l.design, run->workload, l.perturbation}, run->result);
      if (l.perturbation.empty()) evidence.add_machine(l.design, run->configuration);
    }
  }
  return evidence;
}

}  // namespace heddle::report
