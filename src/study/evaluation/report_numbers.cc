// The figures of a study as numbers: the cells of report.cc's tables before they become text.
#include <algorithm>

#include "study/evaluation/report.h"

namespace heddle::study {
namespace {

constexpr std::size_t kNoRow = ~std::size_t{0};

std::string unit_of(const Metric& m) {
  if (m.kind == Kind::Change) return "%";
  return m.kind == Kind::Count ? "workloads" : m.unit;
}

std::string without_paper(const Metric& metric, const Measured& m) {
  return m.ok() && metric.kind == Kind::Change && is_equal(m) ? "=" : "";
}

}  // namespace

std::vector<FigureNumbers> StudyReport::numbers() const {
  std::vector<FigureNumbers> all;
  for (const Figure& f : study_.figures) {
    if (!selected_.wants_figure(f.id)) continue;
    FigureNumbers& n = all.emplace_back();
    n.figure = &f;
    if (!f.metric.empty()) {
      const Metric& metric = study_.metric(f.metric);
      n.unit = unit_of(metric);
      n.less_is_better = metric.less_is_better;
      std::vector<bool> used(study_.rows.size(), false);
      for (const Comparison& c : f.compare)
        if (wants(c)) n.groups.push_back(group(f, c, used));
      other_groups(f, used, n.groups);
    }
    for (const Check& c : f.checks) {
      const Measured m = evaluator_.measure(c.measure, f.perturbed, c.most);
      const bool inside = m.mean >= c.least && m.mean <= c.most;
      n.checks.push_back({&c, m, !m.ok() ? "not run" : inside ? "accepted" : "outside"});
    }
  }
  return all;
}

FigureGroup StudyReport::group(const Figure& f, const Comparison& c, std::vector<bool>& used) const {
  FigureGroup g{comparison_text(c), {}};
  for (const std::string& workload : f.workloads)
    if (std::find(selected_.workloads.begin(), selected_.workloads.end(), workload) !=
        selected_.workloads.end())
      g.cells.push_back(cell(f, c, workload, used));
  // The mean of a part is not the paper's mean; one workload is its own.
  if (g.cells.size() == f.workloads.size() && g.cells.size() > 1) g.cells.push_back(cell(f, c, "", used));
  return g;
}

FigureCell StudyReport::cell(const Figure& f, const Comparison& c, const std::string& workload,
                             std::vector<bool>& used) const {
  const Metric& metric = study_.metric(f.metric);
  const std::string label = workload.empty() ? "mean" : study_.abbreviation(workload);
  const std::size_t row = row_of(f, c, workload);
  if (row != kNoRow) {
    used[row] = true;
    const Scored& s = scored_[row];
    return {label, s.ours, s.paper, std::string(name(s.state)), s.row->target.counts()};
  }
  const Measured m =
      workload.empty()
          ? evaluator_.measure({f.metric, {c}, Combine::Mean, Over::Mean, f.workloads}, f.perturbed)
          : evaluator_.one(metric, c, workload, f.perturbed);
  return {label, m, std::nullopt, without_paper(metric, m), false};
}

// Further numbers of the paper in the figure's own metric: the largest, the mean of some.
void StudyReport::other_groups(const Figure& f, const std::vector<bool>& used,
                               std::vector<FigureGroup>& groups) const {
  for (std::size_t i = 0; i < study_.rows.size(); ++i) {
    const Scored& s = scored_[i];
    const Row& row = *s.row;
    if (row.figure != f.id || used[i] || s.state == State::NotAttempted || row.measure.metric != f.metric)
      continue;
    const Target& t = row.target;
    const std::string compared = t.baseline.empty() ? t.config : t.config + " vs " + t.baseline;
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const FigureGroup& g) { return g.compared == compared; });
    if (at == groups.end()) at = groups.insert(at, {compared, {}});
    at->cells.push_back({t.workload, s.ours, s.paper, std::string(name(s.state)), t.counts()});
  }
}

}  // namespace heddle::study
