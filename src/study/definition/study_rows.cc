// Reading study.toml: what each row of the paper's numbers stands for.
#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"
#include "study/definition/study_parser.h"

namespace heddle::study {
namespace {

const std::vector<std::string> kOvers = {"mean", "max", "min", "count"};
constexpr Over kOverOf[] = {Over::Mean, Over::Max, Over::Min, Over::Count};
const std::vector<std::string> kCombines = {"mean", "best", "worst"};

bool same_number(const Study& study, const Measure& a, const Measure& b) {
  const Metric &x = study.metric(a.metric), &y = study.metric(b.metric);
  return x.kind == y.kind && x.value.text() == y.value.text() && x.mean == y.mean && x.of == y.of &&
         x.above == y.above && a.compare == b.compare && a.combine == b.combine && a.over == b.over &&
         a.workloads == b.workloads;
}

bool fits(const std::optional<std::string>& wanted, const std::string& given) {
  return !wanted || *wanted == given;
}

}  // namespace

bool Reading::matches(const Target& t) const {
  return fits(figure, t.figure) && fits(workload, t.workload) && fits(config, t.config) &&
         fits(metric, t.metric) && fits(baseline, t.baseline) && fits(unit, t.unit);
}

void StudyParser::summary(TableReader& t, const std::string& name) {
  Summary s;
  s.name = name;
  t.require("of", "mean, max, min or count");
  s.over = kOverOf[*t.choice("of", kOvers)];
  s.workloads = workload_names(t, "workloads");
  for (const std::string& left_out : workload_names(t, "without"))
    if (t.find("without") != nullptr) std::erase(s.workloads, left_out);
  if (s.workloads.empty()) t.fail("no workload is left");
  summaries_.push_back(std::move(s));
}

void StudyParser::reading(TableReader& t) {
  Reading r;
  r.place = source_.place(t.node());
  const TomlNode& rows = t.require("rows", "which rows: { metric = \"EDP change\" }");
  TableReader which(source_, rows, "'rows'");
  r.figure = which.text("figure");
  r.workload = which.text("workload");
  r.config = which.text("config");
  r.metric = which.text("metric");
  r.baseline = which.text("baseline");
  r.unit = which.text("unit");
  which.finish();
  r.not_attempted = t.text("not_attempted").value_or("");
  r.use_metric = t.text("metric").value_or("");
  if (!r.use_metric.empty()) known(t, "metric", metric_names(), "metric");
  r.use_workload = t.text("workload").value_or("");
  r.use_figure = t.text("figure").value_or("");
  r.designs = t.texts("designs");
  r.baselines = t.texts("baselines");
  r.baseline_workload = baseline_workload(t);
  if (const auto combine = t.choice("combine", kCombines)) r.combine = static_cast<Combine>(*combine);
  for (const auto* names : {&r.designs, &r.baselines})
    for (const std::string& name : *names)
      if (const auto all = design_names(); std::find(all.begin(), all.end(), name) == all.end())
        t.fail(fmt::format("no design is called '{}'", printable(name)), did_you_mean(name, all));
  readings_.push_back(std::move(r));
}

void StudyParser::rows(const TomlSource& targets) {
  for (const Target& t : parse_targets(targets)) out_.rows.push_back(row(targets, t));
  for (const Reading& r : readings_)
    if (!r.used) throw Error(r.place, fmt::format("no row of {} is meant by this reading", targets.file()));
  check_counted(targets);
}

// A number that no run can change, or that comes from the same runs as another one, tells nothing of its own.
void StudyParser::check_counted(const TomlSource& targets) const {
  std::vector<const Row*> counted;
  for (const Row& r : out_.rows) {
    if (!r.not_attempted.empty() || !r.target.counts()) continue;
    const SourcePlace place = targets.place(r.target.line, 0);
    if (r.measure.over == Over::Machine)
      throw Error(place, "no run can change this number, and it is counted", "not_counted: constant");
    for (const Row* other : counted)
      if (same_number(out_, other->measure, r.measure))
        throw Error(place, fmt::format("measured as line {}, and both are counted", other->target.line),
                    "not_counted: repeats the other one");
    counted.push_back(&r);
  }
}

Row StudyParser::row(const TomlSource& targets, const Target& t) {
  const Reading* reading = nullptr;
  for (Reading& r : readings_) {
    if (!r.matches(t)) continue;
    r.used = true;
    if (reading == nullptr) reading = &r;  // the first that matches counts
  }
  Row row;
  row.target = t;
  try {
    if (reading != nullptr && !reading->use_figure.empty())
      row.figure = reading->use_figure;
    else
      place_in_figure(t, row);
    if (reading != nullptr && !reading->not_attempted.empty())
      row.not_attempted = reading->not_attempted;
    else
      fill(t, reading, row);
    return row;
  } catch (const Error& e) {
    throw Error(targets.place(t.line, 0), e.message(),
                e.advice().empty() ? "a [[reading]] in the study tells what it means, or not_attempted = why"
                                   : e.advice());
  }
}

void StudyParser::place_in_figure(const Target& t, Row& row) const {
  const auto at = figure_of_rows_.find(t.figure);
  if (at != figure_of_rows_.end()) row.figure = at->second;
}

void StudyParser::fill(const Target& t, const Reading* r, Row& row) const {
  Measure& m = row.measure;
  m.metric = r != nullptr && !r->use_metric.empty() ? r->use_metric : t.metric;
  const Metric& metric = out_.metric(m.metric);
  const bool level = metric.kind == Kind::Level;
  std::vector<std::string> designs{t.config}, baselines{t.baseline};
  if (r != nullptr && !r->designs.empty()) designs = r->designs;
  if (r != nullptr && !r->baselines.empty()) baselines = r->baselines;
  if (level && !baselines.front().empty())
    throw Error(fmt::format("'{}' is a level and has no baseline", m.metric));
  for (const std::string& name : designs) static_cast<void>(out_.design(name));
  if (!level)
    for (const std::string& name : baselines) static_cast<void>(out_.design(name));
  m.compare = pair_up(designs, baselines);
  if (m.compare.empty()) throw Error("expected one baseline, or one for each design");
  if (r != nullptr) set_baseline_workload(m.compare, r->baseline_workload);
  if (r != nullptr && r->combine) m.combine = *r->combine;
  if (level && metric.unit != t.unit && !metric.paper_gives_ratio)
    throw Error(
        fmt::format("the row counts in '{}', the metric '{}' in '{}'", t.unit, m.metric, metric.unit));
  workload_of(r != nullptr && !r->use_workload.empty() ? r->use_workload : t.workload, m);
  if (level && !metric.value.uses_statistics()) m.over = Over::Machine;
  if (m.over == Over::Machine) m.workloads.clear();
  if (m.over == Over::Machine && metric.value.uses_statistics())
    throw Error(fmt::format("'{}' is measured on workloads; the row names none", m.metric));
  if (m.over != Over::Machine && m.workloads.empty())
    throw Error(fmt::format("'{}' is no workload or summary of the study", printable(t.workload)));
  if (metric.kind == Kind::Count) m.over = Over::Count;
  if ((m.over == Over::Count) != (metric.kind == Kind::Count))
    throw Error(fmt::format("'{}' counts nothing", m.metric));
  if (row.figure.empty() || out_.figure(row.figure) == nullptr)
    throw Error(fmt::format("no figure of the study has the rows of '{}'", printable(t.figure)),
                "add it to 'rows' of a [[figure]]");
}

void StudyParser::workload_of(const std::string& word, Measure& m) const {
  if (const std::string one = workload_named(word); !one.empty()) {
    m.over = Over::One;
    m.workloads = {one};
    return;
  }
  for (const Summary& s : summaries_)
    if (s.name == word) {
      m.over = s.over;
      m.workloads = s.workloads;
      return;
    }
  if (word == "-") {
    m.over = Over::Machine;
    return;
  }
  for (std::size_t i = 0; i < kOvers.size(); ++i)
    if (kOvers[i] == word) {
      m.over = kOverOf[i];
      m.workloads = all_workloads();
    }
}

}  // namespace heddle::study
