#include "study/evaluation/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace heddle::study {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
const std::vector<Column> kFigureColumns = {{"compared"},   {"workload"},    {"paper", true},
                                            {"ours", true}, {"range", true}, {"verdict"}};

std::string ours_text(const Metric& metric, const Measured& m) {
  if (!m.ok()) return "-";
  return number_text(metric, m.mean);
}

// What a cell without a number of the paper says.
std::string plain_verdict(const Metric& metric, const Measured& m) {
  if (!m.ok()) return m.missing;
  return metric.kind == Kind::Change && is_equal(m) ? "=" : "";
}

std::string verdict(const Scored& s) {
  if (s.state == State::NotRun) return fmt::format("not run ({})", s.reason);
  if (s.state == State::NoEffect) return "= (no effect)";
  return std::string(name(s.state));
}

std::string workload_text(const Study& study, const Row& row, const Measured& m) {
  if (m.workload.empty()) return row.target.workload;
  return fmt::format("{} ({})", row.target.workload, study.abbreviation(m.workload));
}

// A row of the targets in its own words.
std::string target_comparison(const Target& t) {
  return t.baseline.empty() ? t.config : fmt::format("{} vs {}", t.config, t.baseline);
}

std::string paper_text(const Study& study, const Scored& s) {
  if (!s.row->not_attempted.empty())
    return fmt::format("{:g}{}{}", s.paper, s.row->target.unit == "%" ? "" : " ", s.row->target.unit);
  return number_text(study.metric(s.row->measure.metric), s.paper);
}

}  // namespace

std::string number_text(const Metric& metric, double value) {
  if (metric.kind == Kind::Change) return fmt::format("{:+.1f}%", value == 0 ? 0.0 : value);
  if (metric.kind == Kind::Count) return fmt::format("{:g}", value);
  if (metric.unit == "%") return fmt::format("{:.1f}%", value);
  return fmt::format("{:.6g} {}", value, metric.unit);
}

std::string range_text(const Metric& metric, const Measured& m) {
  if (!m.ok() || m.runs < 2) return "";
  const std::string low = number_text(metric, m.low), high = number_text(metric, m.high);
  return low == high ? low : fmt::format("{}..{}", low, high);
}

std::string comparison_text(const Comparison& c) {
  if (c.baseline.empty()) return c.design;
  return fmt::format("{} vs {}{}{}", c.design, c.baseline, c.baseline_workload.empty() ? "" : " on ",
                     c.baseline_workload);
}

StudyReport::StudyReport(const Selected& selected, const Evidence& evidence)
    : selected_(selected),
      study_(selected.study),
      evaluator_(selected, evidence),
      scored_(heddle::study::score(selected, evidence)) {}

std::vector<Table> StudyReport::figures() const {
  std::vector<Table> all;
  for (const Figure& f : study_.figures) {
    if (!selected_.wants_figure(f.id)) continue;
    all.push_back(figure(f));
    if (!f.checks.empty()) all.push_back(checks(f));
  }
  if (selected_.wants_figure(kSensitivityFigure)) all.push_back(sensitivities());
  return all;
}

bool StudyReport::wants(const Comparison& c) const {
  return selected_.designs.empty() ||
         std::find(selected_.designs.begin(), selected_.designs.end(), c.design) != selected_.designs.end();
}

Table StudyReport::figure(const Figure& f) const {
  Table t;
  t.id = "figure_" + f.id;
  t.title = fmt::format("{}: {}", f.id, f.title);
  if (!f.says.empty()) t.above.push_back("The paper: " + f.says);
  t.columns = kFigureColumns;
  std::vector<bool> used(study_.rows.size(), false);
  for (const Comparison& c : f.compare)
    if (wants(c)) comparison(f, c, t, used);
  other_rows(f, t, used);
  return t;
}

void StudyReport::comparison(const Figure& f, const Comparison& c, Table& t, std::vector<bool>& used) const {
  Measure mean{f.metric, {c}, Combine::Mean, Over::Mean, {}};
  for (const std::string& workload : f.workloads) {
    if (std::find(selected_.workloads.begin(), selected_.workloads.end(), workload) ==
        selected_.workloads.end())
      continue;
    mean.workloads.push_back(workload);
    line(f, c, workload, t, used);
  }
  if (f.workloads.size() == 1) return;  // its own mean
  if (mean.workloads.size() == f.workloads.size()) return line(f, c, "", t, used);
  const Metric& metric = study_.metric(f.metric);
  if (mean.workloads.empty()) return;
  const Measured m = evaluator_.measure(mean, f.perturbed);
  t.rows.push_back({comparison_text(c), fmt::format("mean of {}", mean.workloads.size()), "",
                    ours_text(metric, m), range_text(metric, m), plain_verdict(metric, m)});
}

void StudyReport::line(const Figure& f, const Comparison& c, const std::string& workload, Table& t,
                       std::vector<bool>& used) const {
  const Metric& metric = study_.metric(f.metric);
  const bool all = workload.empty();
  const std::string label = all ? "mean" : study_.abbreviation(workload);
  const std::size_t row = row_of(f, c, workload);
  if (row != kNone) {
    const Scored& s = scored_[row];
    used[row] = true;
    t.rows.push_back({comparison_text(c), label, number_text(metric, s.paper), ours_text(metric, s.ours),
                      range_text(metric, s.ours), verdict(s)});
    return;
  }
  const Measured m =
      all ? evaluator_.measure({f.metric, {c}, Combine::Mean, Over::Mean, f.workloads}, f.perturbed)
          : evaluator_.one(metric, c, workload, f.perturbed);
  t.rows.push_back(
      {comparison_text(c), label, "", ours_text(metric, m), range_text(metric, m), plain_verdict(metric, m)});
}

std::size_t StudyReport::row_of(const Figure& f, const Comparison& c, const std::string& workload) const {
  for (std::size_t i = 0; i < study_.rows.size(); ++i) {
    const Row& row = study_.rows[i];
    const Measure& m = row.measure;
    if (row.figure != f.id || !row.not_attempted.empty() || m.metric != f.metric || m.compare.size() != 1)
      continue;
    if (m.compare[0] != c) continue;
    const bool fits = workload.empty() ? m.over == Over::Mean && m.workloads == f.workloads
                                       : m.over == Over::One && m.workloads.front() == workload;
    if (fits) return i;
  }
  return kNone;
}

void StudyReport::other_rows(const Figure& f, Table& t, const std::vector<bool>& used) const {
  for (std::size_t i = 0; i < study_.rows.size(); ++i) {
    const Scored& s = scored_[i];
    const Row& row = *s.row;
    if (row.figure != f.id || used[i]) continue;
    std::string what = target_comparison(row.target);
    if (row.target.metric != f.metric) what += ": " + row.target.metric;
    if (s.state == State::NotAttempted) {
      t.rows.push_back(
          {what, row.target.workload, paper_text(study_, s), "-", "", "not attempted: " + row.not_attempted});
      continue;
    }
    const Metric& metric = study_.metric(row.measure.metric);
    t.rows.push_back({what, workload_text(study_, row, s.ours), paper_text(study_, s),
                      ours_text(metric, s.ours), range_text(metric, s.ours), verdict(s)});
  }
}

Table StudyReport::checks(const Figure& f) const {
  Table t;
  t.id = fmt::format("figure_{}_checks", f.id);
  t.title = fmt::format("{}: what the baseline must show", f.id);
  t.columns = {{"check"}, {"accepted", true}, {"ours", true}, {"range", true}, {"verdict"}};
  for (const Check& c : f.checks) {
    const Metric& metric = study_.metric(c.measure.metric);
    const Measured m = evaluator_.measure(c.measure, f.perturbed, c.most);
    const bool inside = m.mean >= c.least && m.mean <= c.most;
    t.rows.push_back({c.name,
                      fmt::format("{}..{}", number_text(metric, c.least), number_text(metric, c.most)),
                      ours_text(metric, m), range_text(metric, m),
                      !m.ok()  ? fmt::format("not run ({})", m.missing)
                      : inside ? "accepted"
                               : "outside"});
    if (!c.says.empty()) t.below.push_back(fmt::format("{}: {}", c.name, c.says));
  }
  return t;
}

Table StudyReport::sensitivities() const {
  Table t;
  t.id = kSensitivityFigure;
  const Headline& h = *study_.headline;
  const Metric& metric = study_.metric(h.metric);
  t.title = fmt::format("What the paper leaves out: {} of {}, mean of {}", h.metric,
                        comparison_text(h.comparison), counted(selected_.workloads.size(), "workload"));
  t.columns = {{"halved and doubled"}, {"half", true}, {"as it is", true}, {"double", true}};
  const Measured as_is = evaluator_.headline("");
  double low = as_is.mean, high = as_is.mean;
  std::size_t missing = 0;
  std::string first_missing;
  for (const Sensitivity& s : study_.sensitivities) {
    std::vector<std::string> row{s.name};
    const Measured half = evaluator_.headline(halved(s)), twice = evaluator_.headline(doubled(s));
    for (const Measured* m : {&half, &as_is, &twice}) {
      row.push_back(ours_text(metric, *m));
      if (!m->ok()) {
        if (missing++ == 0) first_missing = m->missing;
        continue;
      }
      low = std::min(low, m->mean);
      high = std::max(high, m->mean);
    }
    t.rows.push_back(std::move(row));
  }
  if (missing != 0)
    t.below.push_back(fmt::format("Without a value: {}, the first: {}.", missing, first_missing));
  if (as_is.ok() && low < high)
    t.below.push_back(
        fmt::format("Range of the headline: {} to {}.", number_text(metric, low), number_text(metric, high)));
  return t;
}

Table StudyReport::score() const {
  Table t;
  t.id = "score";
  t.title = fmt::format("Score of '{}'", study_.name);
  if (!study_.machine.empty()) t.title += fmt::format(" on '{}'", study_.machine);
  t.title += fmt::format(", scale {}", workload::name(selected_.scale));
  for (const StudyWorkload& w : study_.workloads)
    if (const workload::Scale own = study_.scale_of(w.name, selected_.scale); own != selected_.scale)
      t.title += fmt::format(", {} at {}", w.abbreviation, workload::name(own));
  t.columns = {{"state"},       {"where"},      {"workload"},    {"compared"}, {"metric"},
               {"paper", true}, {"ours", true}, {"range", true}, {"counts"},   {"reason"}};
  constexpr State kOrder[] = {State::Opposite,   State::NoEffect, State::Missed,      State::SameSign,
                              State::Reproduced, State::NotRun,   State::NotAttempted};
  for (const State state : kOrder)
    for (const bool counts : {true, false})
      for (const Scored& s : scored_)
        if (s.state == state && s.row->target.counts() == counts) t.rows.push_back(score_row(s));
  t.below = headline(tally(scored_));
  return t;
}

std::vector<std::string> StudyReport::score_row(const Scored& s) const {
  const Target& target = s.row->target;
  std::string ours = "-", range;
  if (s.ours.ok()) {
    const Metric& metric = study_.metric(s.row->measure.metric);
    ours = ours_text(metric, s.ours);
    range = range_text(metric, s.ours);
  }
  const bool refers = s.ours.ok() && !target.from.empty();  // to the rows that it comes from
  return {std::string(name(s.state)),
          target.figure,
          workload_text(study_, *s.row, s.ours),
          target_comparison(target),
          target.metric,
          paper_text(study_, s),
          ours,
          range,
          target.counts() ? "yes" : std::string(name(target.origin)),
          refers ? target.not_counted : s.reason};
}

}  // namespace heddle::study
