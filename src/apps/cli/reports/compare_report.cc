#include "apps/cli/reports/compare_report.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/text.h"
#include "study/evaluation/report.h"

namespace heddle::cli {
namespace {

using study::CompareMetric;
using study::Measured;
using study::Table;
using Json = nlohmann::ordered_json;

std::string level_text(const CompareMetric& m, const Measured& level) {
  if (!level.ok()) return "-";
  if (m.level.unit == "%") return fmt::format("{:.1f}%", level.mean);
  if (m.level.unit == "B" || m.level.unit == "J" || m.level.unit == "Js")
    return scaled(level.mean, m.level.unit);
  return grouped(static_cast<std::uint64_t>(std::llround(level.mean)));
}

// Short headings of the table of one workload.
const char* heading(const CompareMetric& m) {
  struct Heading {
    const char *id, *text;
  };
  static constexpr Heading kHeadings[] = {
      {"speed", "cycles"},  {"network_reads", "NoC reads"}, {"l1_hit_rate", "L1 hits"},
      {"merged", "merged"}, {"dram_bytes", "DRAM"},         {"l1_miss_latency", "latency"},
      {"edp", "EDP"}};
  for (const Heading& h : kHeadings)
    if (m.id == h.id) return h.text;
  return m.id.c_str();
}

Json number(double v) {
  return std::isfinite(v) ? Json(v) : Json(nullptr);
}

Json to_json(const Measured& m) {
  if (!m.ok()) return {{"missing", m.missing}};
  return {{"mean", number(m.mean)}, {"low", number(m.low)}, {"high", number(m.high)}, {"runs", m.runs}};
}

}  // namespace

CompareReport::CompareReport(const study::ComparePlan& plan, const study::Evidence& evidence)
    : plan_(plan), evidence_(evidence), evaluator_(plan.selected, evidence) {}

Measured CompareReport::level(const CompareMetric& m, const std::string& design,
                              const std::string& workload) const {
  return evaluator_.one(m.level, {design, ""}, workload, true);
}

Measured CompareReport::change(const CompareMetric& m, const std::string& design,
                               const std::string& workload) const {
  return evaluator_.one(m.change, {design, plan_.baseline()}, workload, true);
}

Measured CompareReport::mean(const study::Metric& metric, const std::string& design) const {
  const bool level = metric.kind == study::Kind::Level;
  return evaluator_.measure({metric.name,
                             {{design, level ? "" : plan_.baseline()}},
                             study::Combine::Mean,
                             study::Over::Mean,
                             plan_.selected.workloads},
                            true);
}

// "=": not to be told from no change.
std::string CompareReport::change_text(const CompareMetric& m, const Measured& change) const {
  if (!change.ok()) return "-";
  return study::is_equal(change) ? "=" : study::number_text(m.change, change.mean);
}

std::string CompareReport::how_sure() const {
  if (!plan_.perturbed())
    return fmt::format(
        "Changes are against {}. A single run has no range, so a small difference may be chance: "
        "--perturbations 3 tells.",
        plan_.baseline());
  return fmt::format(
      "Changes are against {}, means of {} runs (as it is, and {} perturbed). =: not larger than the range "
      "of "
      "the runs.",
      plan_.baseline(), plan_.selected.perturbations.size(), plan_.selected.perturbations.size() - 1);
}

std::vector<Table> CompareReport::of_one(const std::string& workload) const {
  Table t;
  t.id = "designs";
  t.title = fmt::format("{}: {}", workload, plan_.perturbed() ? "designs, means of the runs" : "designs");
  t.columns = {{"design"}};
  for (const CompareMetric& m : study::compare_metrics()) {
    t.columns.push_back({heading(m), true});
    if (m.by_change && !m.brief) t.columns.push_back({m.id == "speed" ? "speed-up" : "change", true});
  }
  for (const std::string& design : plan_.designs) {
    std::vector<std::string> row{design};
    for (const CompareMetric& m : study::compare_metrics()) {
      const bool first = design == plan_.baseline();
      if (first || !m.brief) row.push_back(level_text(m, level(m, design, workload)));
      if (!m.by_change || (first && m.brief)) continue;
      row.push_back(first ? "" : change_text(m, change(m, design, workload)));
    }
    if (const Measured time = level(study::compare_metrics().front(), design, workload); !time.ok())
      t.below.push_back(fmt::format("-: {}", time.missing));
    t.rows.push_back(std::move(row));
  }
  t.below.push_back(
      "NoC reads: read requests in the network. latency: of L1 misses, mean, in cycles. merged: reads "
      "answered at the "
      "clusters' ports. DRAM: bytes moved. energy: of the whole card (docs/energy.md). EDP: energy times "
      "time.");
  t.below.push_back(how_sure());
  std::vector<Table> tables{std::move(t)};
  if (plan_.perturbed() && plan_.designs.size() > 1) tables.push_back(ranges(workload));
  return tables;
}

Table CompareReport::ranges(const std::string& workload) const {
  Table t;
  t.id = "ranges";
  t.title =
      fmt::format("{}: ranges of the changes over {} runs", workload, plan_.selected.perturbations.size());
  t.columns = {{"design"}};
  for (const CompareMetric& m : study::compare_metrics())
    if (m.by_change) t.columns.push_back({m.id == "speed" ? "speed-up" : heading(m), true});
  for (const std::string& design : plan_.designs) {
    if (design == plan_.baseline()) continue;
    std::vector<std::string> row{design};
    for (const CompareMetric& m : study::compare_metrics()) {
      if (!m.by_change) continue;
      const Measured c = change(m, design, workload);
      row.push_back(c.ok() ? study::range_text(m.change, c) : "-");
    }
    t.rows.push_back(std::move(row));
  }
  return t;
}

std::vector<Table> CompareReport::by_metric() const {
  std::vector<Table> tables;
  for (const CompareMetric& m : study::compare_metrics()) {
    Table t;
    t.id = m.id;
    t.title = m.by_change ? fmt::format("{}: change against {}", m.title, plan_.baseline()) : m.title;
    t.columns = {{"workload"}};
    for (const std::string& design : plan_.designs)
      t.columns.push_back(
          {m.by_change && design == plan_.baseline() ? fmt::format("{} ({})", design, m.level.unit) : design,
           true});
    const auto cell = [&](const std::string& design, const std::string& workload) {
      const bool all = workload.empty();
      const bool as_change = m.by_change && design != plan_.baseline();
      if (m.by_change && !as_change) return all ? "" : level_text(m, level(m, design, workload));
      if (!as_change) return level_text(m, all ? mean(m.level, design) : level(m, design, workload));
      const Measured c = all ? mean(m.change, design) : change(m, design, workload);
      std::string text = change_text(m, c);
      if (c.ok() && c.runs > 1) text += fmt::format(" [{:+.1f}, {:+.1f}]", c.low, c.high);
      return text;
    };
    for (const std::string& workload : plan_.selected.workloads) {
      std::vector<std::string> row{workload};
      for (const std::string& design : plan_.designs) row.push_back(cell(design, workload));
      t.rows.push_back(std::move(row));
    }
    std::vector<std::string> row{m.by_change ? "geometric mean" : "mean"};
    for (const std::string& design : plan_.designs) row.push_back(cell(design, ""));
    t.rows.push_back(std::move(row));
    tables.push_back(std::move(t));
  }
  tables.back().below.push_back(how_sure());
  return tables;
}

const std::string& CompareReport::fastest(const std::string& workload) const {
  const std::string* best = &plan_.baseline();
  double most = 0;
  bool any = false;
  for (const std::string& design : plan_.designs) {
    if (design == plan_.baseline()) continue;
    const Measured c = change(study::compare_metrics().front(), design, workload);
    if (!c.ok() || (any && c.mean <= most)) continue;
    any = true;
    most = c.mean;
    best = &design;
  }
  return *best;
}

bool CompareReport::is_faster(const std::string& design, const std::string& workload) const {
  const Measured c = change(study::compare_metrics().front(), design, workload);
  return c.ok() && c.mean > 0 && !study::is_equal(c);
}

Table CompareReport::all() const {
  Table t;
  t.columns = {{"workload"}, {"design"},         {"metric"},     {"unit"},        {"value"}, {"low"},
               {"high"},     {"change_percent"}, {"change_low"}, {"change_high"}, {"runs"},  {"missing"}};
  const auto exact = [](const Measured& m, double v) { return m.ok() ? fmt::format("{}", v) : ""; };
  for (const std::string& workload : plan_.selected.workloads)
    for (const std::string& design : plan_.designs)
      for (const CompareMetric& m : study::compare_metrics()) {
        const Measured l = level(m, design, workload), c = change(m, design, workload);
        t.rows.push_back({workload, design, m.id, m.level.unit, exact(l, l.mean), exact(l, l.low),
                          exact(l, l.high), exact(c, c.mean), exact(c, c.low), exact(c, c.high),
                          std::to_string(l.runs), l.missing});
      }
  return t;
}

nlohmann::ordered_json CompareReport::json() const {
  Json metrics = Json::array(), results = Json::array(), means = Json::array();
  for (const CompareMetric& m : study::compare_metrics())
    metrics.push_back({{"id", m.id},
                       {"title", m.title},
                       {"unit", m.level.unit},
                       {"value", m.level.value.text()},
                       {"change", m.change.value.text()}});
  for (const std::string& workload : plan_.selected.workloads)
    for (const std::string& design : plan_.designs) {
      Json one = {{"workload", workload}, {"design", design}};
      for (const CompareMetric& m : study::compare_metrics())
        one["metrics"][m.id] = {{"value", to_json(level(m, design, workload))},
                                {"change_percent", to_json(change(m, design, workload))}};
      results.push_back(std::move(one));
    }
  for (const std::string& design : plan_.designs) {
    Json one = {{"design", design}};
    for (const CompareMetric& m : study::compare_metrics())
      one["change_percent"][m.id] = to_json(mean(m.change, design));
    means.push_back(std::move(one));
  }
  return {{"schema", "heddle.compare/1"},
          {"baseline", plan_.baseline()},
          {"metrics", metrics},
          {"results", results},
          {"geometric_means", means}};
}

}  // namespace heddle::cli
