// `heddle study`: runs a study's points and prints its tables; archive and check are in study_archive.cc.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/point_place.h"
#include "apps/cli/commands/study_archive.h"
#include "apps/cli/commands/timing_run.h"
#include "apps/cli/page/page_output.h"
#include "apps/cli/terminal/batch_progress.h"
#include "apps/cli/terminal/interrupt.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/figures.h"
#include "study/definition/studies.h"
#include "study/evaluation/report.h"
#include "study/evaluation/scale_comparison.h"
#include "study/plan/archive_part.h"

namespace heddle::cli {
namespace {

study::Study parsed(const study::StudySource& source) {
  return study::parse_study(source.name, source.file, source.targets, require_workload, source.machine);
}

int list_studies() {
  for (const std::string& name : study::study_names()) {
    const study::Study s = parsed(study::find_study(name));
    std::vector<std::string> figures;
    for (const study::Figure& f : s.figures) figures.push_back(f.id);
    const auto own =
        std::count_if(s.rows.begin(), s.rows.end(), [](const study::Row& r) { return r.target.counts(); });
    std::cout << fmt::format(
        "{:<12} {}\n{:<12} {}, {}, {} of the paper ({} independent)\n{:<12} figures: {}\n", name, s.title, "",
        counted(s.workloads.size(), "workload"), counted(s.designs.size(), "design"),
        counted(s.rows.size(), "number"), own, "", join(figures, ", "));
    for (const study::OtherMachine& m : s.machines)
      std::cout << fmt::format("{:<12} --machine {}: {}{}{}\n", "", m.name, m.preset,
                               m.description.empty() ? "" : ", ", m.description);
  }
  std::cout << "\nRun one: heddle study NAME [--figure ID] [--scale small]. What it would take: --dry-run.\n";
  return 0;
}

workload::Scale scale_of(const std::string& name) {
  const std::optional<workload::Scale> scale = workload::parse_scale(name);
  if (!scale) throw Error(fmt::format("'{}' is not a scale", printable(name)), "Scales: tiny, small, paper.");
  return *scale;
}

study::Selection selection_of(const StudyOptions& o) {
  study::Selection s;
  s.figures = o.figures;
  for (const std::string& word : o.workloads) s.workloads.push_back(workload_name(word));
  s.designs = o.designs;
  if (o.perturbations != "all" && o.perturbations != "none")
    throw Error(fmt::format("--perturbations {}", printable(o.perturbations)), "expected all or none");
  s.perturbations = o.perturbations == "all";
  if (!o.scale.empty()) s.scale = scale_of(o.scale);
  return s;
}

void print_refused(const study::Plan& plan) {
  for (const auto& [what, why] : plan.refused)
    std::cerr << visible(fmt::format("heddle: left out {}: {}\n", what, why), true);
}

int dry_run(const StudyOptions& o, const study::StudySource& source, const study::Selected& selected,
            const study::Plan& plan) {
  const study::Store store(store_file(o.store));
  study::PoolOptions pool;
  pool.jobs = o.jobs;
  const std::uint32_t at_once = study::processes(pool);
  const study::Estimate e =
      study::estimate(plan.jobs, store, at_once, archived_costs(source, selected.scale));
  std::cout << fmt::format("{} for {}, {} in the store ({})\n", counted(e.points, "point"),
                           counted(plan.jobs.size(), "cell"), e.in_store, store.file().string());
  std::cout << fmt::format("about {} of processor time, {} with {} at once\n", duration(e.cpu_seconds),
                           duration(e.cpu_seconds / at_once), counted(at_once, "job"));
  std::cout << fmt::format("about {:.1f} GiB of memory\n", e.memory_bytes / (1u << 30));
  std::cout << "as such points took here before, else as they took where the study's archive was made\n";
  if (e.unknown != 0)
    std::cout << fmt::format("not counted: {}, of workloads that never ran at this scale\n",
                             counted(e.unknown, "point"));
  print_refused(plan);
  if (o.place.elsewhere())
    print_submission(o.place, plan.jobs, {}, store, archived_costs(source, selected.scale));
  return 0;
}

// Where every point was run once, there are no ranges to judge by.
study::Selected without_ranges(study::Selected selected, const study::Archive& archive) {
  for (const study::ArchivedPoint& p : archive.points)
    for (const study::Cell& c : p.cells)
      if (!c.perturbation.empty()) return selected;
  selected.perturbations = {0};
  return selected;
}

std::vector<study::Table> compare_with_archive(const StudyOptions& o, const study::StudySource& source,
                                               const study::Selected& selected,
                                               const study::StudyReport& report) {
  study::Selected other = selected;
  other.scale = scale_of(o.other_scale);
  if (other.scale == selected.scale)
    throw Error(fmt::format("--beside {}: the tables are of this scale", o.other_scale),
                "name another one with --scale or --beside");
  const study::Archive archive = read_archive(source, other.scale);
  other = without_ranges(std::move(other), archive);
  const study::Evidence evidence = study::evidence_of(archive);
  const std::string here(workload::name(selected.scale)), there(workload::name(other.scale));
  return study::compare_scales(selected.study, {here, report.numbers()},
                               {there, study::StudyReport(other, evidence).numbers()});
}

std::vector<study::Table> tables_of(const StudyOptions& o, const study::StudySource& source,
                                    const study::Selected& selected, const study::StudyReport& report) {
  if (o.score) return {report.score()};
  return o.other_scale.empty() ? report.figures() : compare_with_archive(o, source, selected, report);
}

void print(const StudyOptions& o, const study::StudySource& source, const study::Selected& selected,
           const study::Evidence& evidence) {
  const study::StudyReport report(selected, evidence);
  const std::vector<study::Table> tables = tables_of(o, source, selected, report);
  if (!o.json.empty() && o.json != "-") write_file(o.json, report.json().dump(2) + "\n");
  if (!o.csv.empty()) {
    std::filesystem::create_directories(o.csv);
    for (const study::Table& t : o.other_scale.empty() ? report.figures() : tables)
      write_file(std::filesystem::path(o.csv) / (t.id + ".csv"), study::as_csv(t));
    write_file(std::filesystem::path(o.csv) / "score.csv", study::as_csv(report.score()));
  }
  if (o.json == "-") {
    std::cout << report.json().dump(2) << "\n";
    return;
  }
  if (!selected.study.machine.empty())
    std::cout << fmt::format("Machine {}: not the study's own.\n\n", selected.study.machine);
  if (selected.scale != selected.study.scale && o.other_scale.empty())
    std::cout << fmt::format("Scale {}: the study's own is {}; verdicts are for orientation only.\n\n",
                             workload::name(selected.scale), workload::name(selected.study.scale));
  for (const study::Table& t : tables)
    std::cout << (o.markdown ? study::as_markdown(t) : study::as_text(t) + "\n");
}

bool all_verified(const study::Evidence& evidence) {
  bool all = true;
  for (const auto& [cell, result] : evidence.results()) {
    if (result.verified) continue;
    std::cerr << visible(
        fmt::format("heddle: {} {}: {}\n", cell.workload, cell.design, evidence.problem(cell)), true);
    all = false;
  }
  return all;
}

// An archive stands for the study's tables: a part of them must not replace the whole.
bool is_part(const StudyOptions& o) {
  return !o.figures.empty() || !o.workloads.empty() || !o.designs.empty() || o.perturbations != "all";
}

void refuse_part_of_store(const StudyOptions& o) {
  if (o.from_store.empty() || (o.figures.empty() && o.workloads.empty() && o.designs.empty())) return;
  throw Error("--from-store --archive keeps a whole study, and this is a part of one",
              "leave out --figure, --workloads and --designs; only --scale may differ");
}

void archive_results(const StudyOptions& o, const study::StudySource& source, const study::Archive& archive) {
  if (is_part(o))
    write_part(source, archive);
  else
    write_archive(source, archive);
}

int from_archive(const StudyOptions& o, const study::StudySource& source, const study::Selected& selected) {
  const study::Archive archive = read_archive(source, selected.scale);
  std::cerr << fmt::format("heddle: from {} archived by source {}\n", counted(archive.points.size(), "point"),
                           archive.source_hash().substr(0, 12));
  print(o, source, without_ranges(selected, archive), study::evidence_of(archive));
  return 0;
}

// Ranges and sensitivities may be missing from what an earlier build kept, never a cell of a figure.
int from_store(const StudyOptions& o, const study::StudySource& source, const study::Selected& selected) {
  const study::Store store(store_file(o.store));
  const study::Archive archive = study::archive_of(store, selected, o.from_store);
  std::cerr << fmt::format("heddle: from {} kept by source {}\n", counted(archive.points.size(), "point"),
                           archive.source_hash().substr(0, 12));
  const study::Evidence evidence = study::evidence_of(archive);
  print(o, source, without_ranges(selected, archive), evidence);
  const std::vector<study::Cell> lacking = study::lacking(archive, selected.study);
  if (!lacking.empty())
    std::cerr << fmt::format("heddle: {} of the figures not run by that source, the first: {} {}\n",
                             counted(lacking.size(), "cell"), lacking.front().workload,
                             lacking.front().design);
  const bool whole = lacking.empty() && all_verified(evidence);
  if (o.archive && whole) write_archive(source, archive);
  if (o.archive && !whole) std::cerr << "heddle: not archived: results are missing or wrong\n";
  return whole ? 0 : 1;
}

int run_study(const StudyOptions& o, const study::StudySource& source, const study::Selected& selected,
              const study::Plan& plan) {
  check_page(o.page);
  check_place(o.place);
  InterruptFlag interrupt;
  study::PoolOptions pool;
  pool.jobs = o.jobs;
  pool.interrupt = &interrupt.raised();
  study::Store store(store_file(o.store));
  BatchLines lines(stderr, isatty(STDERR_FILENO) != 0);
  const study::KeptResults kept(read_part(source, selected.scale));
  const std::vector<study::Job> left = study::lacking(plan.jobs, kept);
  if (left.size() < plan.jobs.size())
    std::cerr << fmt::format("heddle: {} from the archive's part by this source\n",
                             counted(plan.jobs.size() - left.size(), "cell"));
  if (o.place.cancel) return cancel_submission(o.place, left, store);
  PointPlace place(o.place, pool, require_workload, {}, store, archived_costs(source, selected.scale));
  study::Batch batch = place.run(left, lines);
  if (batch.interrupted) {
    std::cerr << interrupted_text(batch, o.place.elsewhere());
    return kInterruptedStatus;
  }
  batch = study::completed(plan.jobs, kept, std::move(batch));
  const study::Evidence evidence = study::evidence_of(plan, batch);
  print(o, source, selected, evidence);
  print_refused(plan);
  for (const study::Failure& f : batch.failures)
    std::cerr << visible(fmt::format("heddle: {} {}: {}\n", plan.jobs[f.job].point.workload,
                                     plan.jobs[f.job].label.design, f.error),
                         true);
  if (o.page.wanted() && batch.store_gone) std::cerr << kNoPage;
  if (o.page.wanted() && !batch.store_gone) {
    report::PageHead head;
    head.title = title_of(selected.study);
    head.baselines[selected.study.label()] = baseline_of(selected.study);
    head.figures = report::figures(selected, evidence);
    write_page(o.page, head, page_runs(store, plan.jobs));
  }
  const bool whole = batch.failures.empty() && plan.refused.empty() && all_verified(evidence);
  if (o.archive && whole) archive_results(o, source, study::make_archive(selected, plan, batch));
  if (o.archive && !whole) std::cerr << "heddle: not archived: results are missing or wrong\n";
  return whole && !batch.store_gone ? 0 : 1;
}

}  // namespace

int study_command(const StudyOptions& o) {
  if (o.study.empty() && !o.machine.empty())
    throw Error("--machine belongs to a study", "heddle study NAME --machine NAME; heddle study lists them");
  if (o.study.empty()) return list_studies();
  study::StudySource source = study::find_study(o.study);
  source.machine = o.machine;
  const study::Selected selected = study::select(parsed(source), selection_of(o));
  if (o.archive) refuse_part_of_store(o);
  if (o.check) return check_archive(o, read_archive(source, selected.scale));
  if (o.from_archive) return from_archive(o, source, selected);
  if (!o.from_store.empty()) return from_store(o, source, selected);
  const study::Plan plan = study::make_plan(selected);
  return o.dry_run ? dry_run(o, source, selected, plan) : run_study(o, source, selected, plan);
}

}  // namespace heddle::cli
