// heddle cluster: what CTA clustering brings the kernels of a workload or of a user's kernel, by a short
// search in the simulator.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/study_archive.h"
#include "apps/cli/commands/timing_run.h"
#include "apps/cli/reports/advice_report.h"
#include "apps/cli/terminal/batch_progress.h"
#include "apps/cli/terminal/interrupt.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "ptx/parse/parse_module.h"
#include "study/batch/batch.h"
#include "study/clustering/advice.h"
#include "study/clustering/graph_order.h"

namespace heddle::cli {
namespace {

constexpr std::string_view kLabel = "cluster";

class Search {
 public:
  explicit Search(const ClusterCommandOptions& o)
      : options_(o), workload_(o.workload), gpu_(load_used_gpu(o.config)), store_(store_file(o.store)) {}

  // False when interrupted.
  bool run();
  const study::ProgramCode& code() const { return code_; }
  const std::vector<study::TriedOut>& tried() const { return tried_; }
  const GpuConfig& gpu() const { return gpu_; }
  const ChosenWorkload& workload() const { return workload_; }

 private:
  bool round(const std::vector<study::ClusteringTrial>& trials);
  std::vector<study::ClusteringTrial> throttled() const;

  const ClusterCommandOptions& options_;
  ChosenWorkload workload_;
  GpuConfig gpu_;
  study::Store store_;
  study::ProgramCode code_;
  std::vector<study::TriedOut> tried_;
};

bool Search::run() {
  code_ = study::program_code(workload_.workload(), workload_.input());
  return round(study::first_trials()) && round(throttled());
}

bool Search::round(const std::vector<study::ClusteringTrial>& trials) {
  std::vector<study::Job> jobs;
  for (const study::ClusteringTrial& t : trials) {
    ConfigOptions config = options_.config;
    for (const std::string& set : t.settings()) config.sets.push_back(set);
    jobs.push_back({workload_.point(load_gpu(config)), {std::string(kLabel), t.name(), ""}});
  }
  InterruptFlag interrupt;
  study::PoolOptions pool;
  pool.jobs = options_.jobs;
  pool.interrupt = &interrupt.raised();
  BatchLines lines(stderr, isatty(STDERR_FILENO) != 0);
  const auto find = [&](const std::string&) -> const heddle::workload::Workload& {
    return workload_.workload();
  };
  const study::Batch batch = study::run_batch(jobs, find, store_, pool, lines);
  if (batch.interrupted) {
    std::cerr << interrupted_text(batch);
    return false;
  }
  for (const study::Failure& f : batch.failures)
    throw Error(fmt::format("{}: {}", jobs[f.job].label.design, f.error));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto record = store_.record(jobs[i].point.key());
    if (!record) throw Error(fmt::format("{}: the result is not in the store", jobs[i].label.design));
    tried_.push_back({trials[i], study::effects(study::parse_timing(*record))});
  }
  return true;
}

// Fewer agents, in the order that is best for each kernel.
std::vector<study::ClusteringTrial> Search::throttled() const {
  std::vector<study::ClusteringTrial> all;
  const auto add = [&](const study::ClusteringTrial& t) {
    if (std::find(all.begin(), all.end(), t) == all.end()) all.push_back(t);
  };
  for (const study::LaunchedKernel& k : code_.kernels) {
    const study::ClusteringTrial* best = study::best_agents(tried_, k.function);
    const auto effect = tried_.front().effects.of.find(k.function);
    if (best == nullptr || effect == tried_.front().effects.of.end()) continue;
    for (const study::ClusteringTrial& t : study::throttled_trials(*best, effect->second.ctas_per_sm)) add(t);
  }
  return all;
}

void write_all(const std::string& folder, const Search& search,
               const std::vector<study::KernelAdvice>& kernels) {
  const gpu::GpuSpec& spec = search.gpu().spec.gpu;
  std::filesystem::create_directories(folder);
  for (const study::KernelAdvice& a : kernels) {
    if (!a.take) continue;
    const std::filesystem::path base = std::filesystem::path(folder) / a.kernel;
    if (a.take->clusters())
      write_file(base.string() + ".ptx", study::rewritten_module(search.code(), a, spec.sms()));
    const bool graph = a.take->partition == "graph";
    if (graph) {
      const auto order =
          study::graph_order(search.workload().workload(), search.workload().input(), a.kernel, spec.sms(),
                             static_cast<std::uint32_t>(spec.l1.tags.line.count()));
      write_file(base.string() + ".order.h", study::order_header(a.kernel, order));
    }
    write_file(base.string() + ".launch.cu", study::launch_code(a));
    std::cout << fmt::format("{}: {}.launch.cu{}{}\n", a.kernel, base.string(), graph ? ", .order.h" : "",
                             a.take->clusters() ? " and .ptx" : "");
  }
}

// Without a launch nothing can run: what every kernel's text tells.
int print_texts(const std::string& file) {
  const ptx::Module module = ptx::parse_module(read_file(file, 1u << 28), file);
  for (const ptx::Function& f : module.functions)
    if (f.entry && !f.external) print_text(cta_clustering::static_report(module, f), std::cout);
  return 0;
}

}  // namespace

int cluster_in_simulator(const ClusterCommandOptions& o) {
  const bool ptx = o.workload.what.ends_with(".ptx");
  if (ptx && o.workload.launch.empty()) return print_texts(o.workload.what);
  Search search(o);
  if (o.text_only) {
    const study::ProgramCode code =
        study::program_code(search.workload().workload(), search.workload().input());
    for (const study::KernelAdvice& a :
         study::advise(code, {}, static_cast<std::uint32_t>(search.gpu().spec.gpu.l1.tags.line.count())))
      print_text(a.text, std::cout);
    return 0;
  }
  if (!search.run()) return kInterruptedStatus;
  const auto kernels = study::advise(search.code(), search.tried(),
                                     static_cast<std::uint32_t>(search.gpu().spec.gpu.l1.tags.line.count()));
  std::cout << wrapped(fmt::format("{} on {}: {} tried. What the words mean: docs/cta_clustering.md",
                                   search.workload().name(), search.gpu().chosen,
                                   counted(search.tried().size(), "design")),
                       100, 0)
            << "\n";
  print_advice(kernels, o.markdown, std::cout);
  if (!o.write.empty()) write_all(o.write, search, kernels);
  return 0;
}

}  // namespace heddle::cli
