// heddle cluster WORKLOAD... --on-device: bundled workloads on the machine's own card, with every design.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/reports/card_report.h"
#include "base/error.h"
#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "runtime/recording/recording.h"
#include "study/clustering/recorded_reads.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

constexpr int kWrongStatus = 1, kErrorStatus = 2, kNoCardStatus = 3;  // the last: between processes only

constexpr std::uint32_t kLineBytes = 128;  // of all cards that CUDA 11 and later know

std::unique_ptr<workload::LaunchRewriter> rewriter_of(ConfigOptions config,
                                                      const study::ClusteringTrial& trial,
                                                      std::uint32_t sms) {
  for (const std::string& set : trial.settings()) config.sets.push_back(set);
  const workload::RewriterFactory make = load_gpu(config).spec.gpu.software.make_rewriter;
  return make ? make(sms) : nullptr;
}

CardRuns run_workload(const ClusterCommandOptions& o, const std::string& what) {
  WorkloadOptions chosen = o.workload;
  chosen.what = what;
  const ChosenWorkload workload(chosen);
  const std::vector<study::ClusteringTrial> designs = study::chosen_trials(o.designs);
  const card::Driver driver;
  CardRuns runs;
  runs.workload = workload.name();
  runs.scale = heddle::workload::name(workload.input().scale);
  runs.seed = workload.input().seed;
  runs.repeat = o.repeat;
  runs.card = driver.info();
  study::CardSearch search{workload.workload(), workload.input(), {}, {}, {}};
  search.options.repeat = o.repeat;
  search.options.timed_launches = o.timed_launches;
  search.make_rewriter = [&](const study::ClusteringTrial& t) {
    return rewriter_of(o.config, t, driver.info().sms);
  };
  std::optional<study::RecordedReads> reads;
  search.reads = [&](const heddle::workload::Launch& launch) {
    if (!reads) reads.emplace(workload.workload(), workload.input(), kLineBytes);
    return reads->of(launch);
  };
  if (isatty(STDERR_FILENO) != 0)
    search.done = [&](const study::CardTrial& t) {
      std::cerr << fmt::format("{}: {}: {}\n", runs.workload, t.trial.name(),
                               !t.error.empty()     ? "failed"
                               : !t.verification.ok ? "WRONG result"
                                                    : "done");
    };
  runs.tried = search.run(driver, designs);
  return runs;
}

int tell(const CardRuns& runs, bool markdown) {
  print_card_runs(runs, markdown, std::cout);
  std::cout.flush();
  return runs.good() ? 0 : kWrongStatus;
}

// In a process of its own: a kernel that fails takes the driver of its process with it.
int run_apart(const ClusterCommandOptions& o, const std::string& what, const std::string& rows) {
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start another process");
  if (child == 0) {
    int status = kErrorStatus;
    try {
      const CardRuns runs = run_workload(o, what);
      std::ofstream(rows) << card_csv(runs);
      status = tell(runs, o.markdown);
    } catch (const card::NoCard& e) {
      std::cerr << fmt::format("heddle: {}\n", e.what());
      status = kNoCardStatus;
    } catch (const std::exception& e) {
      std::cerr << fmt::format("heddle: {}: {}\n", what, e.what());
    }
    std::cout.flush();
    _exit(status);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::cerr << fmt::format("heddle: {}: the process that ran it was ended by signal {}\n", what,
                           WTERMSIG(status));
  return kErrorStatus;
}

int run_several(const ClusterCommandOptions& o) {
  std::string csv = card_csv_head();
  std::vector<std::string> failed;
  int worst = 0;
  for (const std::string& what : o.what) {
    const UnnamedFile rows(UnnamedFile::Where::Memory);
    const int status = run_apart(o, what, rows.path());
    if (status == kNoCardStatus) return kErrorStatus;
    if (status != 0) failed.push_back(what);
    worst = std::max(worst, status);
    csv += read_file(rows.path());
    if (!o.csv.empty()) write_file(o.csv, csv);  // after each: a long list may be interrupted
  }
  if (!failed.empty())
    std::cerr << fmt::format("heddle: {} of {} failed: {}\n", failed.size(),
                             counted(o.what.size(), "workload"), join(failed, ", "));
  return worst;
}

void refuse_recordings(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.ends_with(runtime::kRecordingSuffix))
      throw Error(fmt::format("'{}' is a recording: it holds addresses of the simulated card", word),
                  "Run its program instead: heddle cluster --on-device -- ./program");
}

}  // namespace

bool names_workload(const std::string& word) {
  return word.ends_with(".ptx") || word.ends_with(".cu") || word.ends_with(runtime::kRecordingSuffix) ||
         workloads::find_workload(word) != nullptr;
}

int cluster_on_card(const ClusterCommandOptions& o) {
  refuse_recordings(o.what);
  if (o.what.size() > 1) return run_several(o);
  const CardRuns runs = run_workload(o, o.what.front());
  if (!o.csv.empty()) write_file(o.csv, card_csv_head() + card_csv(runs));
  return tell(runs, o.markdown);
}

}  // namespace heddle::cli
