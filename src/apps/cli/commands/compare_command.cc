// `heddle compare`: designs side by side on a user's choice of workloads.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/compare_notes.h"
#include "apps/cli/commands/point_place.h"
#include "apps/cli/commands/study_archive.h"
#include "apps/cli/commands/timing_run.h"
#include "apps/cli/commands/used_settings.h"
#include "apps/cli/page/page_output.h"
#include "apps/cli/reports/compare_report.h"
#include "apps/cli/reports/funnel_report.h"
#include "apps/cli/reports/whole_program.h"
#include "apps/cli/terminal/batch_progress.h"
#include "apps/cli/terminal/interrupt.h"
#include "base/error.h"
#include "base/file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "study/design/design_catalog.h"
#include "study/run/record.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

class CompareRun {
 public:
  explicit CompareRun(const CompareOptions& options);
  int run();

 private:
  std::vector<study::Point> workload_points() const;
  study::FindWorkload find() const;
  std::map<std::string, std::string> workload_sources() const;  // of those that are not bundled
  const study::Design& design(const std::string& name) const { return plan_.selected.study.design(name); }
  bool quiet() const { return options_.json == "-"; }

  void print_head() const;
  void print_designs() const;
  void print_tables(const CompareReport& report) const;
  void print_end(const CompareReport& report, const study::Batch& batch, double seconds) const;
  std::string verified(const study::Batch& batch) const;
  // False when something is missing or wrong; says what on standard error.
  bool complain(const study::Batch& batch) const;
  // Of baseline and fastest design, where there are results.
  // Of a recording that holds some launches.
  std::optional<study::Table> whole_programs() const;
  std::optional<study::Table> funnels(const CompareReport& report) const;
  std::optional<study::TimingRecord> record(const std::string& design) const;
  Json json(const CompareReport& report, const study::Batch& batch) const;

  const CompareOptions& options_;
  std::vector<ChosenWorkload> workloads_;
  ConfigOptions config_;
  GpuConfig gpu_;
  study::ComparePlan plan_;
  study::Store store_;
};

// What could have merged is part of the picture; it does not change timing.
ConfigOptions measured(ConfigOptions config) {
  config.sets.insert(config.sets.begin(), "measure.funnel=true");
  return config;
}

std::vector<ChosenWorkload> chosen_workloads(const CompareOptions& o) {
  std::vector<ChosenWorkload> all;
  for (const std::string& what : o.workloads) {
    WorkloadOptions one = o.workload;
    one.what = what;
    ChosenWorkload chosen(one);
    if (std::any_of(all.begin(), all.end(),
                    [&](const ChosenWorkload& w) { return w.name() == chosen.name(); }))
      throw Error(fmt::format("'{}' is given twice", printable(chosen.name())));
    all.push_back(std::move(chosen));
  }
  return all;
}

CompareRun::CompareRun(const CompareOptions& o)
    : options_(o),
      workloads_(chosen_workloads(o)),
      config_(measured(o.config)),
      gpu_(load_gpu(config_)),
      store_(store_file(o.store)) {
  if (gpu_.spec.gpu.limit.kernel_cycles != 0)
    throw Error("compare takes whole kernels: with limit.kernel_cycles designs do different amounts of work",
                "A study can compare instructions per cycle (docs/studies.md), or take a smaller --scale.");
  const study::DesignCatalog& catalog = study::design_catalog();
  std::vector<std::string> lists = o.designs;
  if (lists.empty())
    lists = gpu_.spec.gpu.gpu.sms_per_cluster > 1 ? catalog.default_clusters : catalog.default_single;
  study::CompareRequest request;
  request.workloads = workload_points();
  request.designs = study::choose_designs(lists, catalog);
  request.perturbations = o.perturbations;
  request.gpu = gpu_.chosen;
  request.load = [this](const std::string& machine) {
    ConfigOptions config = config_;
    if (!machine.empty()) config.gpu = machine;
    return unread_gpu(config);
  };
  check_all_used(config_, request);
  plan_ = make_compare_plan(request);
}

std::vector<study::Point> CompareRun::workload_points() const {
  std::vector<study::Point> points;
  for (const ChosenWorkload& s : workloads_) points.push_back(s.point(gpu_));
  return points;
}

study::FindWorkload CompareRun::find() const {
  return [this](const std::string& name) -> const workload::Workload& {
    for (const ChosenWorkload& w : workloads_)
      if (w.name() == name) return w.workload();
    return require_workload(name);
  };
}

std::map<std::string, std::string> CompareRun::workload_sources() const {
  std::map<std::string, std::string> sources;
  for (const ChosenWorkload& w : workloads_)
    if (!w.source().empty()) sources.emplace(w.name(), w.source());
  return sources;
}

void CompareRun::print_head() const {
  for (const ChosenWorkload& w : workloads_)
    std::cout << wrapped(visible(fmt::format("{}: {}", w.name(), workload_summary(w))), 100, 0);
  std::cout << wrapped(visible(fmt::format("on {}: {}", gpu_.chosen, machine_summary(gpu_.spec.gpu))), 100,
                       0);
  print_designs();
  std::cout << std::endl;  // people read it while the rest is computed
}

void CompareRun::print_designs() const {
  std::size_t width = 0;
  for (const study::Design& d : plan_.selected.study.designs) width = std::max(width, visible(d.name).size());
  for (const study::Design& d : plan_.selected.study.designs) {
    std::string text = visible(d.description);
    if (!d.machine.empty()) text += fmt::format(" (on {})", d.machine);
    if (const auto same = plan_.same_as.find(d.name); same != plan_.same_as.end())
      text += fmt::format(". No effect here: the same machine as {}", same->second);
    if (plan_.plan.refused.contains(d.name)) text += ". Left out: it cannot be built, see below";
    const std::string lines = wrapped(text, 100, width + 4);
    std::cout << fmt::format("  {:<{}}{}", visible(d.name), width, lines.substr(width + 2));
  }
}

int CompareRun::run() {
  const auto start = std::chrono::steady_clock::now();
  check_page(options_.page);
  check_place(options_.place);
  const std::map<std::string, std::string> sources = workload_sources();
  if (options_.place.dry_run) {
    print_submission(options_.place, plan_.plan.jobs, sources, store_);
    return 0;
  }
  if (options_.place.cancel) return cancel_submission(options_.place, plan_.plan.jobs, store_);
  if (!quiet()) print_head();
  InterruptFlag interrupt;
  study::PoolOptions pool;
  pool.jobs = options_.jobs;
  pool.interrupt = &interrupt.raised();
  BatchLines lines(stderr, isatty(STDERR_FILENO) != 0);
  PointPlace place(options_.place, pool, find(), sources, store_);
  const study::Batch batch = place.run(plan_.plan.jobs, lines);
  if (batch.interrupted) {
    std::cerr << interrupted_text(batch, options_.place.elsewhere());
    return kInterruptedStatus;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const study::Evidence evidence = study::evidence_of(plan_.plan, batch);
  const CompareReport report(plan_, evidence);
  if (!options_.csv.empty()) write_file(options_.csv, study::as_csv(report.all()));
  if (quiet())
    std::cout << json(report, batch).dump(2) << "\n";
  else if (!options_.json.empty())
    write_file(options_.json, json(report, batch).dump(2) + "\n");
  if (!quiet()) {
    print_tables(report);
    print_end(report, batch, took.count());
  }
  std::cout << std::flush;
  if (options_.page.wanted() && batch.store_gone) std::cerr << kNoPage;
  if (options_.page.wanted() && !batch.store_gone) {
    report::PageHead head;
    head.baselines[study::kCompareLabel] = plan_.baseline();
    write_page(options_.page, head, page_runs(store_, plan_.plan.jobs));
  }
  return complain(batch) ? 0 : 1;
}

void CompareRun::print_tables(const CompareReport& report) const {
  std::vector<study::Table> tables =
      workloads_.size() == 1 ? report.of_one(workloads_.front().name()) : report.by_metric();
  if (workloads_.size() == 1)
    for (std::optional<study::Table> more : {whole_programs(), funnels(report)})
      if (more) tables.push_back(std::move(*more));
  for (const study::Table& t : tables)
    std::cout << (options_.markdown ? study::as_markdown(t) : study::as_text(t) + "\n");
}

std::optional<study::TimingRecord> CompareRun::record(const std::string& name) const {
  const auto job = plan_.plan.job_of.find({name, workloads_.front().name(), ""});
  if (job == plan_.plan.job_of.end()) return {};
  try {
    const auto json = store_.record(plan_.plan.jobs[job->second].point.key());
    if (json) return study::parse_timing(*json);
  } catch (const Error&) {
    if (!store_.gone()) throw;
  }
  return {};
}

std::optional<study::Table> CompareRun::whole_programs() const {
  const runtime::LaunchesHeld* launches = runtime::launches_held(workloads_.front().workload());
  if (launches == nullptr || launches->left_out == 0) return {};
  std::vector<std::pair<std::string, WholeProgram>> designs;
  for (const std::string& name : plan_.designs)
    if (const auto r = record(name))
      designs.emplace_back(name, whole_program(*launches, *r));
    else if (designs.empty())
      return {};  // there is no baseline
  return whole_program_table(designs);
}

std::optional<study::Table> CompareRun::funnels(const CompareReport& report) const {
  const std::string& fastest = report.fastest(workloads_.front().name());
  const auto before = record(plan_.baseline()), after = record(fastest);
  if (fastest == plan_.baseline() || !before || !after) return {};
  const auto funnel = [](const study::TimingRecord& r) { return gpu::funnel(r.spec, r.total); };
  study::Table t =
      side_by_side(plan_.baseline(), funnel(*before), fastest, funnel(*after), before->spec.measure.window);
  t.title += report.is_faster(fastest, workloads_.front().name())
                 ? ", the fastest design"
                 : fmt::format("; no design is faster than {}", plan_.baseline());
  return t;
}

std::string CompareRun::verified(const study::Batch& batch) const {
  std::size_t right = 0, wrong = 0, unknown = 0;
  for (const study::Result& r : batch.results) {
    if (r.source_hash.empty()) continue;
    ++(!r.verified ? wrong : r.compared == 0 ? unknown : right);
  }
  const auto own = [](const ChosenWorkload& x) { return !x.contents().empty(); };
  const bool any = std::any_of(workloads_.begin(), workloads_.end(), own);
  const bool all = std::all_of(workloads_.begin(), workloads_.end(), own);
  const char* against = all   ? "what the launch file expects"
                        : any ? "CPU references and what the launch file expects"
                              : "the CPU reference";
  std::vector<std::string> parts;
  if (right != 0)
    parts.push_back(fmt::format("{}{} verified against {}", wrong + unknown == 0 && right > 1 ? "All " : "",
                                counted(right, "result"), against));
  if (wrong != 0) parts.push_back(fmt::format("{} WRONG", counted(wrong, "result")));
  if (unknown != 0)
    parts.push_back(fmt::format("{} with nothing to compare with", counted(unknown, "result")));
  return parts.empty() ? "No results" : join(parts, ", ");
}

void CompareRun::print_end(const CompareReport& report, const study::Batch& batch, double seconds) const {
  std::cout << fmt::format("{}.\n", verified(batch));
  std::error_code none;
  const std::string near = std::filesystem::proximate(store_.file(), none).string();
  const std::string kept = near.empty() || near.starts_with("..") ? store_.file().string() : near;
  if (batch.simulated == 0)
    std::cout << fmt::format("Nothing was simulated: {} from the store, {}.\n",
                             counted(batch.from_store, "point"), kept);
  else
    std::cout << fmt::format(
        "{} simulated in {}{}; {} {}.\n", counted(batch.simulated, "point"),
        seconds < 10 ? fmt::format("{:.1f} s", seconds) : duration(seconds),
        batch.from_store == 0 ? "" : fmt::format(", {} from the store", batch.from_store),
        batch.store_gone ? "NOT kept: somebody removed or replaced" : "kept in", kept);
  const std::string& fastest = report.fastest(workloads_.front().name());
  std::cout << "\nNext:\n";
  if (!options_.next.empty()) {
    std::cout << fmt::format("  {}\n      a recording that run, compare and funnel take\n", options_.next);
    return;
  }
  for (const NextCommand& n : next_commands(options_, plan_, design(fastest)))
    std::cout << fmt::format("  {}\n      {}\n", visible(n.command), visible(n.purpose));
}

bool CompareRun::complain(const study::Batch& batch) const {
  bool fine = !batch.store_gone;
  const auto say = [&](const std::string& what, const std::string& why) {
    std::cerr << fmt::format("heddle: {}: {}\n", visible(what), visible(why, true));
    fine = false;
  };
  for (const auto& [name, why] : plan_.plan.refused) say(fmt::format("left out {}", name), why);
  for (const study::Failure& f : batch.failures) {
    const study::Job& job = plan_.plan.jobs[f.job];
    say(fmt::format("{} {}", job.point.workload, job.label.design), f.error);
  }
  for (std::size_t i = 0; i < batch.results.size(); ++i) {
    const study::Result& r = batch.results[i];
    const study::Job& job = plan_.plan.jobs[i];
    if (!r.source_hash.empty() && !r.verified)
      say(fmt::format("{} {}", job.point.workload, job.label.design), "wrong result: " + r.problem);
  }
  return fine;
}

Json CompareRun::json(const CompareReport& report, const study::Batch& batch) const {
  Json j = report.json();
  j["gpu"] = gpu_.chosen;
  Json workloads = Json::array();
  for (const ChosenWorkload& s : workloads_) {
    Json one = {{"name", s.name()}, {"summary", s.workload().info().summary}};
    if (s.contents().empty()) {
      one["scale"] = workload::name(s.input().scale);
      one["seed"] = s.input().seed;
    } else {
      one["contents"] = s.contents();
    }
    workloads.push_back(std::move(one));
  }
  j["workloads"] = std::move(workloads);
  Json designs = Json::array();
  for (const study::Design& d : plan_.selected.study.designs) {
    Json one = {{"name", d.name}, {"description", d.description}, {"set", Json::array()}};
    for (const study::Assignment& a : d.sets) one["set"].push_back(a.text);
    if (!d.machine.empty()) one["machine"] = d.machine;
    if (const auto at = plan_.same_as.find(d.name); at != plan_.same_as.end()) one["same_as"] = at->second;
    if (const auto at = plan_.plan.refused.find(d.name); at != plan_.plan.refused.end())
      one["refused"] = at->second;
    designs.push_back(std::move(one));
  }
  j["designs"] = std::move(designs);
  j["points"] = {
      {"simulated", batch.simulated}, {"from_store", batch.from_store}, {"failed", batch.failures.size()}};
  Json points = Json::array();
  for (const study::Job& job : plan_.plan.jobs)
    points.push_back({{"workload", job.point.workload},
                      {"design", job.label.design},
                      {"perturbation", job.label.perturbation},
                      {"key", job.point.key()}});
  j["keys"] = std::move(points);
  return j;
}

}  // namespace

int compare_command(const CompareOptions& options) {
  return CompareRun(options).run();
}

}  // namespace heddle::cli
