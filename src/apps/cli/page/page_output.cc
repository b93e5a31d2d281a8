#include "apps/cli/page/page_output.h"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <map>
#include <set>

#include <fmt/format.h>

#include "apps/cli/inputs/chosen_workload.h"
#include "apps/cli/page/browser.h"
#include "base/error.h"
#include "base/file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/page.h"
#include "study/definition/studies.h"
#include "study/design/design_catalog.h"
#include "study/plan/compare_plan.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

// Of the embedded studies, or of $HEDDLE_HOME; a study of a user's own is known by its label only.
std::optional<study::Study> known_study(const std::string& label) {
  const auto [name, machine] = study::parts_of_label(label);
  const std::vector<std::string> names = study::study_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return {};
  const study::StudySource source = study::find_study(name);
  const auto on = [&](const std::string& which) {
    return study::parse_study(source.name, source.file, source.targets, require_workload, which);
  };
  if (machine.empty()) return on({});
  for (const study::OtherMachine& m : on({}).machines)
    if (m.name == machine) return on(machine);
  return {};  // of a time when the study had it
}

// The scale of most runs of a study: its figures are of one.
std::optional<workload::Scale> usual_scale(const PageRuns& runs, const std::string& study) {
  std::map<std::string, std::size_t> scales;
  for (const auto& run : runs)
    for (const study::Label& l : run->labels)
      if (l.study == study) ++scales[run->scale];
  const auto most = std::max_element(scales.begin(), scales.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == scales.end() ? std::nullopt : workload::parse_scale(most->first);
}

// In comparisons by hand the first of the designs that are compared when nobody names any.
std::string usual_baseline(const PageRuns& runs) {
  std::set<std::string> there;
  for (const auto& run : runs)
    for (const study::Label& l : run->labels)
      if (l.study == study::kCompareLabel) there.insert(l.design);
  for (const std::string& d : study::design_catalog().default_clusters)
    if (there.contains(d)) return d;
  return {};
}

void write_data(const PageOptions& o, report::PageHead head, const PageRuns& runs,
                const nlohmann::ordered_json& more, const std::string& shown) {
  head.command = o.command;
  head.written = now_utc() + " UTC";
  nlohmann::ordered_json data = report::page_data(head, runs);
  if (!more.is_null()) data.update(more);
  const std::string page = report::filled(empty_page(o.page), data);
  if (!o.html.empty()) {
    write_file(o.html, page);
    std::cerr << fmt::format("heddle: {} shows {} ({})\n", o.html, shown,
                             scaled(static_cast<double>(page.size()), "B"));
  }
  if (!o.figures.empty()) {
    const std::size_t n = write_figures(page, o.figures);
    std::cerr << fmt::format("heddle: {} as SVG and PDF in {}\n", counted(n, "figure"), o.figures);
  }
}

}  // namespace

std::string empty_page(const std::string& file) {
  return file.empty() ? std::string(report::bundled_page()) : read_file(file, 64u << 20);
}

void check_page(const PageOptions& o) {
  if (!o.wanted()) return;
  report::filled(empty_page(o.page), nlohmann::ordered_json::object());
  if (!o.figures.empty()) find_browser();
}

report::RunReader run_reader() {
  return report::RunReader([](const std::string& name) {
    const workload::Workload* w = workloads::find_workload(name);
    return w == nullptr ? std::string() : w->info().abbreviation;
  });
}

std::shared_ptr<const report::PageRun> read_run(report::RunReader& reader, const study::Store& store,
                                                const SelectedPoint& point, bool with_detail) {
  const std::string& key = point.kept.key;
  const bool as_it_is =
      point.labels.empty() || std::any_of(point.labels.begin(), point.labels.end(),
                                          [](const study::Label& l) { return l.perturbation.empty(); });
  try {
    report::RunSource s;
    s.id = key;
    s.labels = point.labels;
    s.record = required_record(store, key);
    if (with_detail && as_it_is) s.detail = store.detail(key).value_or("");
    s.finished = point.kept.finished;
    return std::make_shared<report::PageRun>(reader.read(s));
  } catch (const study::Damaged&) {
    throw;
  } catch (const Error& e) {
    std::cerr << fmt::format("heddle: left out {}: {}\n", key.substr(0, 12), e.message());
    return nullptr;
  }
}

PageRuns page_runs(const study::Store& store, std::span<const study::Job> jobs) {
  std::map<std::string, study::StoredPoint> kept;
  for (study::StoredPoint& k : store.list()) kept.emplace(k.key, std::move(k));
  std::map<std::string, std::vector<study::Label>> labels;
  std::vector<std::string> order;
  for (const study::Job& job : jobs) {
    const std::string key = job.point.key();
    if (!kept.contains(key)) continue;
    if (!labels.contains(key)) order.push_back(key);
    labels[key].push_back(job.label);
  }
  report::RunReader reader = run_reader();
  PageRuns runs;
  for (const std::string& key : order)
    if (auto run = read_run(reader, store, {kept.at(key), labels.at(key)}, true))
      runs.push_back(std::move(run));
  return runs;
}

std::string baseline_of(const study::Study& s) {
  if (s.headline) return s.headline->comparison.baseline;
  for (const study::Figure& f : s.figures)
    for (const study::Comparison& c : f.compare)
      if (!c.baseline.empty()) return c.baseline;
  return {};
}

std::string title_of(const study::Study& s) {
  return s.machine.empty() ? s.title : fmt::format("{} (machine {})", s.title, s.machine);
}

void add_studies(report::PageHead& head, const PageRuns& runs) {
  std::set<std::string> studies;
  for (const auto& run : runs)
    for (const study::Label& l : run->labels) studies.insert(l.study);
  head.baselines.emplace(study::kCompareLabel, usual_baseline(runs));
  for (const std::string& name : studies) {
    const std::optional<study::Study> s = known_study(name);
    if (!s) continue;
    head.baselines.emplace(name, baseline_of(*s));
    if (studies.size() != 1) continue;
    study::Selection selection;
    selection.scale = usual_scale(runs, name);
    const study::Selected selected = study::select(*s, selection);
    head.figures = report::figures(selected, report::evidence_of(selected, runs));
    if (head.title.empty()) head.title = title_of(*s);
  }
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc)};
}

void write_page(const PageOptions& o, report::PageHead head, const PageRuns& runs) {
  if (head.title.empty()) head.title = report::usual_title(runs);
  write_data(o, std::move(head), runs, {}, counted(runs.size(), "run"));
}

void write_page(const PageOptions& o, report::PageHead head, const nlohmann::ordered_json& more,
                const std::string& shown) {
  write_data(o, std::move(head), {}, more, shown);
}

}  // namespace heddle::cli
