#include "study/evaluation/scale_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::study {
namespace {

const FigureNumbers* figure_of(const AtScale& at, const std::string& id) {
  for (const FigureNumbers& f : at.figures)
    if (f.figure->id == id) return &f;
  return nullptr;
}

const FigureCell* cell_of(const FigureNumbers& figure, const std::string& compared,
                          const std::string& workload) {
  for (const FigureGroup& g : figure.groups)
    if (g.compared == compared)
      for (const FigureCell& c : g.cells)
        if (c.workload == workload) return &c;
  return nullptr;
}

// Of the workloads' own values; means and extremes follow from them.
struct Agreement {
  std::size_t cells = 0, same_sign = 0, signs = 0;
  double apart = 0, farthest = 0;
  std::string where;

  void add(const FigureCell& here, const FigureCell& there, const std::string& what) {
    const double difference = std::abs(here.ours.mean - there.ours.mean);
    ++cells;
    apart += difference;
    if (difference > farthest || where.empty()) {
      farthest = difference;
      where = what;
    }
    // A sign counts where the larger scale has an effect to speak of.
    if (std::abs(there.ours.mean) < kEffect) return;
    ++signs;
    same_sign += (here.ours.mean > 0) == (there.ours.mean > 0);
  }
  static constexpr double kEffect = 1;  // points
};

bool is_workload(const Study& study, const std::string& label) {
  return std::any_of(study.workloads.begin(), study.workloads.end(),
                     [&](const StudyWorkload& w) { return w.abbreviation == label; });
}

std::string difference_text(const Metric& metric, double d) {
  if (metric.kind == Kind::Change || metric.unit == "%") return fmt::format("{:+.1f}", d);
  return fmt::format("{:+.6g}", d);
}

}  // namespace

std::vector<Table> compare_scales(const Study& study, const AtScale& here, const AtScale& there) {
  std::vector<Table> all;
  Table sum;
  sum.id = "beside";
  sum.title = fmt::format("How far `{}` stands for `{}`", here.scale, there.scale);
  sum.columns = {{"figure"},        {"values", true}, {"mean difference", true},
                 {"largest", true}, {"at"},           {"same sign", true}};
  for (const FigureNumbers& f : here.figures) {
    const FigureNumbers* other = figure_of(there, f.figure->id);
    if (other == nullptr || f.groups.empty()) continue;
    const Metric& metric = study.metric(f.figure->metric);
    Table& t = all.emplace_back();
    t.id = "beside_" + f.figure->id;
    t.title = fmt::format("{}: {}", f.figure->id, f.figure->title);
    t.columns = {{"compared"},
                 {"workload"},
                 {"the paper", true},
                 {"at " + here.scale, true},
                 {"at " + there.scale, true},
                 {"difference", true}};
    Agreement agreement;
    for (const FigureGroup& g : f.groups)
      for (const FigureCell& c : g.cells) {
        const FigureCell* o = cell_of(*other, g.compared, c.workload);
        if (o == nullptr || !c.ours.ok() || !o->ours.ok()) continue;
        t.rows.push_back({g.compared, c.workload, c.paper ? number_text(metric, *c.paper) : "",
                          number_text(metric, c.ours.mean), number_text(metric, o->ours.mean),
                          difference_text(metric, c.ours.mean - o->ours.mean)});
        if (is_workload(study, c.workload)) agreement.add(c, *o, g.compared + ", " + c.workload);
      }
    if (agreement.cells == 0) continue;
    sum.rows.push_back(
        {f.figure->id, std::to_string(agreement.cells),
         fmt::format("{:.1f}", agreement.apart / static_cast<double>(agreement.cells)),
         fmt::format("{:.1f}", agreement.farthest), agreement.where,
         metric.kind == Kind::Change ? fmt::format("{} of {}", agreement.same_sign, agreement.signs) : ""});
  }
  sum.below.push_back(
      fmt::format("Differences in points. Signs are counted where `{}` has an effect of {:g} point or more.",
                  there.scale, Agreement::kEffect));
  all.push_back(std::move(sum));
  return all;
}

}  // namespace heddle::study
