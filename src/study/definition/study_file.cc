// Reading study.toml: machine, designs, metrics, figures, perturbations. Rows of the targets: study_rows.cc.
#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"
#include "config/reader.h"
#include "gpu/simulation_spec.h"
#include "study/definition/study_parser.h"
#include "study/design/design_table.h"
#include "study/run/result.h"

namespace heddle::study {
namespace {

constexpr config::TomlLimits kLimits{.what = "study"};

const std::vector<std::string> kKinds = {"change", "level", "count"};
const std::vector<std::string> kMeans = {"geometric", "arithmetic"};
const std::vector<std::string> kBetter = {"more", "less"};
const std::vector<std::string> kScales = {"tiny", "small", "paper"};

template <class T>
const T& named(const std::vector<T>& all, std::string_view name, std::string_view what) {
  std::vector<std::string> names;
  for (const T& one : all) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw Error(fmt::format("no {} is called '{}'", what, printable(name)), did_you_mean(name, names));
}

}  // namespace

const Design& Study::design(std::string_view wanted) const {
  return named(designs, wanted, "design");
}
const Metric& Study::metric(std::string_view wanted) const {
  return named(metrics, wanted, "metric");
}
const Figure* Study::figure(std::string_view id) const {
  for (const Figure& f : figures)
    if (f.id == id) return &f;
  return nullptr;
}
workload::Scale Study::scale_of(const std::string& workload, workload::Scale asked) const {
  if (asked == scale)
    for (const StudyWorkload& w : workloads)
      if (w.name == workload) return w.scale.value_or(asked);
  return asked;
}

const std::string& Study::abbreviation(const std::string& workload) const {
  for (const StudyWorkload& w : workloads)
    if (w.name == workload) return w.abbreviation;
  return workload;
}

Study parse_study(const std::string& name, const TomlSource& file, const TomlSource& targets,
                  const FindWorkload& find, const std::string& machine) {
  Study study;
  study.name = name;
  StudyParser(file, find, study).run(targets, machine);
  return study;
}

void StudyParser::run(const TomlSource& targets, const std::string& machine) {
  const TomlNode root = parse_toml(source_, kLimits);
  TableReader t(source_, root, "the study");
  head(t);
  t.named_tables("other_machine", [&](TableReader& r, const std::string& name) { other_machine(r, name); });
  choose_machine(machine);
  t.named_tables("design", [&](TableReader& r, const std::string& name) { design(r, name); });
  if (out_.designs.empty())
    throw Error(SourcePlace{source_.file(), 0, 0, {}},
                "the study has no [design.NAME], so nothing would run");
  settle_machines();
  t.named_tables("metric", [&](TableReader& r, const std::string& name) { metric(r, name); });
  check_metrics(t);
  t.named_tables("choice", [&](TableReader& r, const std::string& name) { choice(r, name); });
  t.named_tables("summary", [&](TableReader& r, const std::string& name) { summary(r, name); });
  t.listed_tables("figure", [&](TableReader& r) { figure(r); });
  out_.perturbations.push_back({});
  t.listed_tables("perturbation", [&](TableReader& r) { perturbation(r); });
  t.listed_tables("sensitivity", [&](TableReader& r) { sensitivity(r); });
  headline(t);
  bands(t);
  t.listed_tables("reading", [&](TableReader& r) { reading(r); });
  t.finish();
  rows(targets);
}

void StudyParser::head(TableReader& t) {
  out_.title = need(t, "title", "one line that says what it is about");
  out_.paper = t.text("paper").value_or("");
  machine_ = need(t, "machine", "a preset (heddle list)");
  if (const auto at = t.choice("scale", kScales)) out_.scale = *workload::parse_scale(kScales[*at]);
  common_ = read_assignments(t, "set");
  t.require("workloads", "a list of names (heddle list)");
  for (const std::string& word : t.texts("workloads")) {
    const workload::WorkloadInfo* info = nullptr;
    try {
      info = &find_(word).info();
    } catch (const Error& e) {
      t.fail(*t.find("workloads"), e.message(), e.advice());
    }
    if (!workload_named(info->name).empty()) t.fail(*t.find("workloads"), fmt::format("'{}' twice", word));
    // A paper's own name for a program that is better known by another is kept.
    const bool own = std::find(info->also.begin(), info->also.end(), word) != info->also.end();
    out_.workloads.push_back({info->name, own ? word : info->abbreviation});
  }
  if (out_.workloads.empty()) t.fail(*t.find("workloads"), "expected at least one workload");
  t.named_tables("workload", [&](TableReader& r, const std::string& name) { set_scale(own_scale(r, name)); });
}

StudyWorkload StudyParser::own_scale(TableReader& t, const std::string& name) const {
  const std::string known = workload_named(name);
  const TomlNode& scale = t.require("scale", "tiny, small or paper");
  if (known.empty())
    t.fail(scale, fmt::format("no workload of the study is called '{}'", printable(name)),
           "name it in `workloads` as well");
  return {known, name, workload::parse_scale(kScales[*t.choice("scale", kScales)])};
}

void StudyParser::set_scale(const StudyWorkload& own) {
  for (StudyWorkload& w : out_.workloads)
    if (w.name == own.name) w.scale = own.scale;
}

void StudyParser::design(TableReader& t, const std::string& name) {
  Design start;  // without a machine: settle_machines
  start.sets = common_;
  const auto find = [&](std::string_view base) -> const Design* {
    for (const Design& d : out_.designs)
      if (d.name == base) return &d;
    return nullptr;
  };
  out_.designs.push_back(read_design(t, name, start, find, design_names()));
}

// Stands where a design may stand.
void StudyParser::choice(TableReader& t, const std::string& name) {
  Design d;
  d.name = name;
  d.machine = machine_;
  t.require("of", "a list of designs");
  d.best_of = t.texts("of");
  if (d.best_of.empty()) t.fail(*t.find("of"), "expected at least one design");
  for (const std::string& one : d.best_of) {
    const auto known = std::find_if(out_.designs.begin(), out_.designs.end(),
                                    [&](const Design& other) { return other.name == one; });
    if (known == out_.designs.end() || !known->best_of.empty())
      t.fail(*t.find("of"), fmt::format("no design is called '{}'", printable(one)),
             did_you_mean(one, design_names()));
  }
  if (std::any_of(out_.designs.begin(), out_.designs.end(),
                  [&](const Design& other) { return other.name == name; }))
    t.fail(*t.find("of"), fmt::format("'{}' names a design already", printable(name)), "choose another name");
  d.best_by = need(t, "by", "a metric");
  if (out_.metric(d.best_by).kind == Kind::Count) t.fail(*t.find("by"), "expected a change or a level");
  out_.designs.push_back(std::move(d));
}

void StudyParser::metric(TableReader& t, const std::string& name) {
  Metric m;
  m.name = name;
  t.require("kind", "change, level or count");
  m.kind = static_cast<Kind>(*t.choice("kind", kKinds));
  if (const auto mean = t.choice("mean", kMeans)) m.mean = static_cast<Mean>(*mean);
  if (const auto better = t.choice("better", kBetter)) m.less_is_better = *better == 1;
  if (m.kind == Kind::Count) {
    m.of = need(t, "of", "the metric whose changes are counted");
    t.require("above", "more than so many points count");
    m.above = *t.number("above");
    m.unit = "count";
  } else {
    const std::string text = need(t, "value", "statistics and numbers with + - * / and brackets");
    try {
      m.value = Expression::parse(text);
    } catch (const Error& e) {
      t.fail(*t.find("value"), e.message());
    }
    check_names(t, m.value);
  }
  if (m.kind == Kind::Level) m.unit = t.text("unit").value_or("%");
  if (m.kind != Kind::Count) m.paper_gives_ratio = t.flag("paper_gives_ratio").value_or(false);
  if (m.kind == Kind::Level && m.paper_gives_ratio && m.unit != "%")
    t.fail(*t.find("unit"), "a level that the paper gives as a ratio counts in %: what it is above 1");
  out_.metrics.push_back(std::move(m));
}

// Told now, not after hours of simulating.
void StudyParser::check_names(TableReader& t, const Expression& value) const {
  const auto check = [&](const std::vector<std::string>& used, const std::vector<std::string>& known,
                         const char* what) {
    for (const std::string& name : used)
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string hint = did_you_mean(name, known);
        t.fail(*t.find("value"), fmt::format("there is no {} '{}'", what, printable(name)),
               hint.empty() ? "heddle explain --all lists them" : hint);
      }
  };
  check(value.statistics(), statistic_names(), "statistic");
  check(value.parameters(), config::describe<gpu::SimulationSpec>().paths(), "parameter");
}

void StudyParser::check_metrics(TableReader& root) const {
  for (const Metric& m : out_.metrics) {
    if (m.kind != Kind::Count) continue;
    const auto of = std::find_if(out_.metrics.begin(), out_.metrics.end(),
                                 [&](const Metric& other) { return other.name == m.of; });
    if (of == out_.metrics.end() || of->kind != Kind::Change)
      root.fail(*root.find("metric"),
                fmt::format("'{}' counts '{}', which is no metric of kind change", m.name, printable(m.of)),
                did_you_mean(m.of, metric_names()));
  }
}

void StudyParser::figure(TableReader& t) {
  Figure f;
  f.id = need(t, "id", "what --figure takes: \"10\"");
  if (out_.figure(f.id) != nullptr) t.fail(*t.find("id"), fmt::format("figure '{}' twice", printable(f.id)));
  f.title = need(t, "title", "one line");
  f.says = t.text("says").value_or("");
  f.group = t.text("group").value_or("");
  f.perturbed = t.flag("perturbed").value_or(true);
  f.workloads = workload_names(t, "workloads");
  if (const auto m = t.text("metric")) {
    known(t, "metric", metric_names(), "metric");
    f.metric = *m;
    if (out_.metric(*m).kind == Kind::Count) t.fail(*t.find("metric"), "a figure shows no counts");
    t.require("designs", "a list of designs");
    f.compare = comparisons(t, out_.metric(*m).kind == Kind::Level);
  }
  t.listed_tables("check", [&](TableReader& r) { check(r, f); });
  std::vector<std::string> words = t.texts("rows");
  if (t.find("rows") == nullptr) words = {f.id, "Fig" + f.id};
  for (const std::string& word : words)
    if (!figure_of_rows_.emplace(word, f.id).second)
      t.fail(fmt::format("rows of '{}' already belong to figure {}", printable(word), figure_of_rows_[word]));
  out_.figures.push_back(std::move(f));
}

void StudyParser::check(TableReader& t, Figure& f) {
  Check c;
  c.name = need(t, "name", "what is looked at");
  c.says = t.text("says").value_or("");
  c.measure.metric = need(t, "metric", "a metric");
  known(t, "metric", metric_names(), "metric");
  t.require("designs", "a list of designs");
  c.measure.compare = comparisons(t, out_.metric(c.measure.metric).kind == Kind::Level);
  workload_of(t.text("workload").value_or("mean"), c.measure);
  if (c.measure.workloads.empty() && c.measure.over != Over::Machine)
    t.fail(*t.find("workload"), "no workload or summary of the study is called so");
  t.require("least", "the least that is accepted");
  t.require("most", "the most that is accepted");
  c.least = *t.number("least");
  c.most = *t.number("most");
  f.checks.push_back(std::move(c));
}

void StudyParser::perturbation(TableReader& t) {
  Perturbation p;
  p.name = need(t, "name", "short: \"offset 1\"");
  for (const Perturbation& other : out_.perturbations)
    if (other.name == p.name) t.fail(*t.find("name"), "expected a name that no other perturbation has");
  p.sets = read_assignments(t, "set");
  p.seed = static_cast<std::uint64_t>(t.integer("seed", 0, INT64_MAX).value_or(1));
  if (p.sets.empty() && p.seed == 1) t.fail("a perturbation sets something, or has a seed other than 1");
  out_.perturbations.push_back(std::move(p));
}

void StudyParser::sensitivity(TableReader& t) {
  Sensitivity s;
  s.name = need(t, "name", "what the paper leaves out");
  t.require("half", "assignments");
  t.require("double", "assignments");
  s.half = read_assignments(t, "half");
  s.twice = read_assignments(t, "double");
  out_.sensitivities.push_back(std::move(s));
}

void StudyParser::headline(TableReader& root) {
  const TomlNode* n = root.find("headline");
  if (n == nullptr) {
    if (!out_.sensitivities.empty()) root.fail("sensitivities need a [headline]: metric, design, baseline");
    return;
  }
  TableReader t(source_, *n, "[headline]");
  Headline h;
  h.metric = need(t, "metric", "a metric of kind change");
  known(t, "metric", metric_names(), "metric");
  if (out_.metric(h.metric).kind != Kind::Change)
    t.fail(*t.find("metric"), "expected a metric of kind change");
  h.comparison = {need(t, "design", "a design"), need(t, "baseline", "a design")};
  known(t, "design", design_names(), "design");
  known(t, "baseline", design_names(), "design");
  t.finish();
  out_.headline = h;
}

void StudyParser::bands(TableReader& root) {
  const TomlNode* n = root.find("bands");
  if (n == nullptr) return;
  TableReader t(source_, *n, "[bands]");
  Bands& b = out_.bands;
  b.least = t.number("least").value_or(b.least);
  b.most = t.number("most").value_or(b.most);
  b.small = t.number("small").value_or(b.small);
  if (b.least <= 0 || b.least > 1 || b.most < 1 || b.small < 0)
    t.fail("expected 0 < least <= 1 <= most and small >= 0");
  t.finish();
}

std::vector<Comparison> StudyParser::comparisons(TableReader& t, bool level) const {
  const std::vector<std::string> designs = t.texts("designs"), baselines = t.texts("baselines");
  for (const auto* names : {&designs, &baselines})
    for (const std::string& name : *names) {
      const auto all = design_names();
      if (std::find(all.begin(), all.end(), name) == all.end())
        t.fail(*t.find(names == &designs ? "designs" : "baselines"),
               fmt::format("no design is called '{}'", printable(name)), did_you_mean(name, all));
    }
  if (level != baselines.empty())
    t.fail(level ? "a level has no baselines" : "a change needs 'baselines': one, or as many as designs");
  auto pairs = pair_up(designs, level ? std::vector<std::string>{""} : baselines);
  if (pairs.empty())
    t.fail(fmt::format("{} and {}: expected one baseline, or one for each design",
                       counted(designs.size(), "design"), counted(baselines.size(), "baseline")));
  set_baseline_workload(pairs, baseline_workload(t));
  return pairs;
}

std::string StudyParser::baseline_workload(TableReader& t) const {
  if (t.find("baseline_workload") == nullptr) return {};
  const std::string word = *t.text("baseline_workload"), name = workload_named(word);
  if (name.empty())
    t.fail(*t.find("baseline_workload"), fmt::format("'{}' is no workload of this study", printable(word)),
           did_you_mean(word, all_workloads()));
  return name;
}

void set_baseline_workload(std::vector<Comparison>& pairs, const std::string& workload) {
  for (Comparison& c : pairs)
    if (!c.baseline.empty()) c.baseline_workload = workload;
}

std::vector<Comparison> pair_up(const std::vector<std::string>& designs,
                                const std::vector<std::string>& baselines) {
  std::vector<Comparison> pairs;
  const std::size_t n = std::max(designs.size(), baselines.size());
  if (designs.empty() || baselines.empty()) return pairs;
  if ((designs.size() != n && designs.size() != 1) || (baselines.size() != n && baselines.size() != 1))
    return pairs;
  for (std::size_t i = 0; i < n; ++i)
    pairs.push_back({designs[designs.size() == 1 ? 0 : i], baselines[baselines.size() == 1 ? 0 : i]});
  return pairs;
}

std::vector<std::string> StudyParser::workload_names(TableReader& t, std::string_view key) const {
  if (t.find(key) == nullptr) return all_workloads();
  std::vector<std::string> names;
  for (const std::string& word : t.texts(key)) {
    const std::vector<std::string> meant = workloads_of(word);
    if (meant.empty())
      t.fail(*t.find(key), fmt::format("'{}' is no workload or summary of this study", printable(word)),
             did_you_mean(word, all_workloads()));
    names.insert(names.end(), meant.begin(), meant.end());
  }
  return names;
}

// A workload, or those of a summary.
std::vector<std::string> StudyParser::workloads_of(const std::string& word) const {
  if (std::string one = workload_named(word); !one.empty()) return {std::move(one)};
  for (const Summary& s : summaries_)
    if (s.name == word) return s.workloads;
  return {};
}

std::vector<std::string> StudyParser::all_workloads() const {
  std::vector<std::string> names;
  for (const StudyWorkload& w : out_.workloads) names.push_back(w.name);
  return names;
}

std::string StudyParser::workload_named(std::string_view word) const {
  for (const StudyWorkload& w : out_.workloads)
    if (w.name == word || w.abbreviation == word) return w.name;
  return {};
}

std::string StudyParser::need(TableReader& t, std::string_view key, std::string_view what) const {
  t.require(key, what);
  return *t.text(key);
}

void StudyParser::known(TableReader& t, std::string_view key, const std::vector<std::string>& names,
                        std::string_view what) const {
  const std::string given = *t.text(key);
  if (std::find(names.begin(), names.end(), given) == names.end())
    t.fail(*t.find(key), fmt::format("no {} is called '{}'", what, printable(given)),
           did_you_mean(given, names));
}

std::vector<std::string> StudyParser::design_names() const {
  std::vector<std::string> names;
  for (const Design& d : out_.designs) names.push_back(d.name);
  return names;
}

std::vector<std::string> StudyParser::metric_names() const {
  std::vector<std::string> names;
  for (const Metric& m : out_.metrics) names.push_back(m.name);
  return names;
}

}  // namespace heddle::study
