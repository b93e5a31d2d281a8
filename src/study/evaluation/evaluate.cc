#include "study/evaluation/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"

namespace heddle::study {
namespace {

Measured missing(std::string why) {
  Measured m;
  m.missing = std::move(why);
  return m;
}

Measured of_values(const std::vector<double>& values) {
  Measured m;
  m.runs = values.size();
  m.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  m.low = *std::min_element(values.begin(), values.end());
  m.high = *std::max_element(values.begin(), values.end());
  return m;
}

// What people read: changes in points, shares in percent.
Measured shown(const Metric& metric, std::vector<double> values) {
  for (double& v : values) {
    if (metric.kind == Kind::Change)
      v = (v - 1) * 100;
    else if (metric.unit == "%")
      v *= 100;
  }
  return of_values(values);
}

int sign(double v) {
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

}  // namespace

bool is_equal(const Measured& change) {
  return change.mean == 0 || std::abs(change.mean) <= change.spread();
}

std::string_view name(State s) {
  constexpr std::string_view kNames[] = {"reproduced", "same sign",     "no effect", "opposite",
                                         "missed",     "not attempted", "not run"};
  return kNames[static_cast<std::size_t>(s)];
}

State judge_change(double paper, const Measured& ours, const Bands& bands) {
  if (!ours.ok()) return State::NotRun;
  const double size = std::abs(ours.mean), wanted = std::abs(paper);
  if (paper == 0) return is_equal(ours) || size < bands.small ? State::Reproduced : State::Opposite;
  if (is_equal(ours)) return State::NoEffect;
  if (sign(ours.mean) != sign(paper)) return State::Opposite;
  // Below `small` points the size says nothing: the sign is enough, as long as ours is small, too.
  if (wanted < bands.small)
    return size <= std::max(bands.small, bands.most * wanted) ? State::Reproduced : State::SameSign;
  return size >= bands.least * wanted && size <= bands.most * wanted ? State::Reproduced : State::SameSign;
}

State judge_level(double paper, const Measured& ours, const Bands& bands) {
  if (!ours.ok()) return State::NotRun;
  const double a = bands.least * paper, b = bands.most * paper;
  return ours.mean >= std::min(a, b) && ours.mean <= std::max(a, b) ? State::Reproduced : State::Missed;
}

std::vector<std::string> Evaluator::runs(bool perturbed) const {
  std::vector<std::string> names;
  for (const std::size_t p : selected_.perturbations)
    if (p == 0 || perturbed) names.push_back(study_.perturbations[p].name);
  return names;
}

double Evaluator::value(const Metric& metric, const Cell& cell, const Result* result) const {
  return metric.value.value({[&](std::string_view statistic) { return result->value(statistic); },
                             [&](std::string_view path) { return evidence_.parameter(cell.design, path); }});
}

const std::string& Evaluator::chosen(const std::string& design, const std::string& workload) const {
  if (design.empty()) return design;
  const Design& d = study_.design(design);
  if (d.best_of.empty()) return d.name;
  const Metric& metric = study_.metric(d.best_by);
  const std::string* best = nullptr;
  double best_value = 0;
  for (const std::string& one : d.best_of) {
    const Cell cell{one, workload, ""};  // by the run as it is, for all perturbations
    const Result* result = evidence_.find(cell);
    if (result == nullptr) return one;  // nothing can be said: it is named as missing
    const double v = value(metric, cell, result);
    if (best == nullptr || (metric.less_is_better ? v < best_value : v > best_value)) {
      best = &one;
      best_value = v;
    }
  }
  return *best;
}

Evaluator::Values Evaluator::values(const Metric& metric, const Comparison& c, const std::string& workload,
                                    const std::vector<std::string>& runs) const {
  Values v;
  for (const std::string& run : runs) {
    double parts[2] = {0, 1};
    for (int i = 0; i < (metric.kind == Kind::Change ? 2 : 1); ++i) {
      const Cell cell = i == 0 ? Cell{chosen(c.design, workload), workload, run}
                               : Cell{chosen(c.baseline, c.on(workload)), c.on(workload), run};
      const Result* result = evidence_.find(cell);
      const auto at = fmt::format("{} {}{}{}", cell.workload, cell.design, run.empty() ? "" : ", ", run);
      if (result == nullptr) {
        v.missing = fmt::format("{}: {}", at, evidence_.problem(cell));
        return v;
      }
      try {
        parts[i] = value(metric, cell, result);
      } catch (const Error& e) {
        v.missing = e.message();
        return v;
      }
      if (!std::isfinite(parts[i])) {
        v.missing = fmt::format("{}: {} is 0 / 0", at, metric.value.text());
        return v;
      }
    }
    if (metric.kind == Kind::Change && parts[1] == 0) {
      v.missing = fmt::format("{} {}: {} is 0", c.on(workload), c.baseline, metric.value.text());
      return v;
    }
    v.by_run.push_back(metric.kind == Kind::Change ? parts[0] / parts[1] : parts[0]);
  }
  return v;
}

Measured Evaluator::one(const Metric& metric, const Comparison& c, const std::string& workload,
                        bool perturbed) const {
  Values v = values(metric, c, workload, runs(perturbed));
  if (!v.ok()) return missing(std::move(v.missing));
  Measured m = shown(metric, std::move(v.by_run));
  m.workloads = 1;
  return m;
}

Measured Evaluator::mean(const std::vector<std::string>& workloads, const Metric& metric, const Comparison& c,
                         const std::vector<std::string>& runs) const {
  std::vector<double> sums(runs.size(), 0);
  for (const std::string& workload : workloads) {
    Values v = values(metric, c, workload, runs);
    if (!v.ok()) return missing(std::move(v.missing));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (metric.mean == Mean::Geometric && v.by_run[i] <= 0)
        return missing(fmt::format("{} {}: a geometric mean needs values above 0", workload, c.design));
      sums[i] += metric.mean == Mean::Geometric ? std::log(v.by_run[i]) : v.by_run[i];
    }
  }
  for (double& s : sums) {
    s /= static_cast<double>(workloads.size());
    if (metric.mean == Mean::Geometric) s = std::exp(s);
  }
  Measured m = shown(metric, std::move(sums));
  m.workloads = workloads.size();
  return m;
}

Measured Evaluator::extreme(const Measure& m, const Metric& metric, const Comparison& c, bool perturbed,
                            double towards) const {
  // "max" of reductions is the largest reduction: the paper's sign is the direction.
  const int direction =
      (metric.kind == Kind::Change && towards < 0 ? -1 : 1) * (m.over == Over::Max ? 1 : -1);
  Measured best;
  for (const std::string& workload : m.workloads) {
    Measured here = one(metric, c, workload, perturbed);
    if (!here.ok()) return here;
    here.workload = workload;
    if (!best.ok() || direction * here.mean > direction * best.mean) best = here;
  }
  best.workloads = m.workloads.size();
  return best;
}

Measured Evaluator::counted(const Metric& metric, const Measure& m, const Comparison& c,
                            bool perturbed) const {
  const std::vector<std::string> names = runs(perturbed);
  const double least = 1 + metric.above / 100;
  std::vector<double> counts(names.size(), 0);
  for (const std::string& workload : m.workloads) {
    const Values v = values(study_.metric(metric.of), c, workload, names);
    if (!v.ok()) return missing(v.missing);
    for (std::size_t i = 0; i < names.size(); ++i) counts[i] += v.by_run[i] > least ? 1 : 0;
  }
  Measured result = of_values(counts);
  result.workloads = m.workloads.size();
  return result;
}

Measured Evaluator::of_machine(const Metric& metric, const Comparison& c) const {
  try {
    const double v = value(metric, {c.design, "", ""}, nullptr);
    return shown(metric, {v});
  } catch (const Error& e) {
    return missing(e.message());
  }
}

Measured Evaluator::compared(const Measure& m, const Metric& metric, const Comparison& c, bool perturbed,
                             double towards) const {
  switch (m.over) {
    case Over::Machine:
      return of_machine(metric, c);
    case Over::One:
      return one(metric, c, m.workloads.front(), perturbed);
    case Over::Mean:
      return mean(m.workloads, metric, c, runs(perturbed));
    case Over::Count:
      return counted(metric, m, c, perturbed);
    default:
      return extreme(m, metric, c, perturbed, towards);
  }
}

Measured Evaluator::measure(const Measure& m, bool perturbed, double towards) const {
  const Metric& metric = study_.metric(m.metric);
  std::vector<Measured> all;
  for (const Comparison& c : m.compare) {
    all.push_back(compared(m, metric, c, perturbed, towards));
    if (!all.back().ok()) return all.back();
  }
  if (m.combine == Combine::Mean) {
    Measured result = all.front();
    const auto n = static_cast<double>(all.size());
    result.mean = result.low = result.high = 0;
    for (const Measured& one : all) {
      result.mean += one.mean / n;
      result.low += one.low / n;
      result.high += one.high / n;
    }
    return result;
  }
  const bool larger = (m.combine == Combine::Best) != metric.less_is_better;
  const auto less = [](const Measured& a, const Measured& b) { return a.mean < b.mean; };
  return larger ? *std::max_element(all.begin(), all.end(), less)
                : *std::min_element(all.begin(), all.end(), less);
}

Measured Evaluator::headline(const std::string& variant) const {
  return mean(selected_.workloads, study_.metric(study_.headline->metric), study_.headline->comparison,
              {variant});
}

double paper_value(const Study& study, const Row& row) {
  if (!row.not_attempted.empty()) return row.target.value;
  const Metric& metric = study.metric(row.measure.metric);
  if (!metric.paper_gives_ratio) return row.target.value;
  return row.target.unit == "%" ? row.target.value - 100 : (row.target.value - 1) * 100;
}

std::vector<Scored> score(const Selected& selected, const Evidence& evidence) {
  const Study& study = selected.study;
  const Evaluator evaluator(selected, evidence);
  std::vector<Scored> all;
  for (const Row& row : study.rows) {
    Scored s;
    s.row = &row;
    s.paper = paper_value(study, row);
    if (!row.not_attempted.empty()) {
      s.state = State::NotAttempted;
      s.reason = row.not_attempted;
    } else if (!selected.wants_figure(row.figure)) {
      s.reason = fmt::format("figure {} was not asked for", row.figure);
    } else {
      s.ours = evaluator.measure(row.measure, study.figure(row.figure)->perturbed, s.paper);
      s.reason = s.ours.missing;
      s.state = study.metric(row.measure.metric).kind == Kind::Change
                    ? judge_change(s.paper, s.ours, study.bands)
                    : judge_level(s.paper, s.ours, study.bands);
    }
    all.push_back(std::move(s));
  }
  return all;
}

Tally tally(std::span<const Scored> scored) {
  Tally t;
  for (const Scored& s : scored) {
    const Target& target = s.row->target;
    if (!target.counts()) {
      ++t.not_counted[target.origin];
      continue;
    }
    ++t.states[s.state];
    t.ranges += s.ours.runs > 1;
  }
  return t;
}

std::size_t Tally::attempted() const {
  std::size_t all = 0;
  for (const auto& [state, n] : states)
    if (state != State::NotAttempted) all += n;
  return all;
}

std::size_t Tally::apart() const {
  std::size_t all = 0;
  for (const auto& [origin, n] : not_counted) all += n;
  return all;
}

std::vector<std::string> headline(const Tally& t) {
  const auto number = [&](State s) { return t.states.contains(s) ? t.states.at(s) : 0; };
  std::vector<std::string> others, reasons;
  for (const auto& [state, n] : t.states)
    if (state != State::Reproduced && state != State::NotAttempted)
      others.push_back(fmt::format("{} {}", n, name(state)));
  for (const auto& [origin, n] : t.not_counted) reasons.push_back(fmt::format("{} {}", n, name(origin)));
  std::string first = fmt::format("{} of {} reproduced", number(State::Reproduced),
                                  counted(t.attempted(), "independent number"));
  if (!others.empty()) first += fmt::format(" ({})", join(others, ", "));
  if (t.ranges != 0) first += fmt::format(", {} of the {} with a range", t.ranges, t.attempted());
  std::vector<std::string> further;
  if (const std::size_t n = number(State::NotAttempted); n != 0)
    further.push_back(fmt::format("{} more not attempted", n));
  if (!reasons.empty())
    further.push_back(fmt::format("{} more not counted: {}", t.apart(), join(reasons, ", ")));
  std::vector<std::string> lines{first + "."};
  if (!further.empty()) lines.push_back(join(further, "; ") + ".");
  return lines;
}

}  // namespace heddle::study
