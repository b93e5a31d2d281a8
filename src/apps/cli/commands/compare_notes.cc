#include "apps/cli/commands/compare_notes.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "gpu/peak_rates.h"
#include "study/design/design_catalog.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

std::string clusters_summary(const gpu::GpuSpec& s) {
  const gpu::MachineSpec& g = s.gpu;
  if (g.sms_per_cluster == 1) return fmt::format("{} with a network port each", counted(s.sms(), "SM"));
  const bool full = s.sms() == g.clusters * g.sms_per_cluster;
  return fmt::format("{} in {} of {}{}", counted(s.sms(), "SM"), counted(g.clusters, "cluster"),
                     full ? "" : "at most ", g.sms_per_cluster);
}

std::string l1_summary(const gpu::GpuSpec& s) {
  if (!s.l1.enabled) return "no L1";
  const cache::TagSpec& t = s.l1.tags;
  if (s.sm.unified_l1.count() != 0)
    return fmt::format("{} of L1 and shared memory per SM", to_string(s.sm.unified_l1));
  return fmt::format("{} of L1 per SM", to_string(Bytes{std::uint64_t{t.sets} * t.ways * t.line.count()}));
}

std::string l2_summary(const gpu::GpuSpec& s) {
  if (!s.l2().enabled) return "no L2";
  const cache::TagSpec& t = s.l2().tags;
  return fmt::format("{} of L2 in {}",
                     to_string(Bytes{std::uint64_t{s.slices()} * t.sets * t.ways * t.line.count()}),
                     counted(s.slices(), "slice"));
}

// As the user called it: ./heddle in the source tree, else by its full name there, else as installed.
std::string program() {
  const char* home = std::getenv("HEDDLE_HOME");
  if (home == nullptr || *home == 0) return "heddle";
  std::error_code none;
  if (std::filesystem::equivalent(home, std::filesystem::current_path(none), none)) return "./heddle";
  return shell_word((std::filesystem::path(home) / "heddle").string());
}

// What a command needs to simulate the same: everything but workloads and designs.
std::string same_options(const CompareOptions& o, const std::string& machine = {}) {
  const WorkloadOptions& s = o.workload;
  const WorkloadOptions usual;
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_word(value));
  };
  if (!s.launch.empty()) add("--launch", s.launch);
  if (s.scale != usual.scale) add("--scale", s.scale);
  if (s.seed != usual.seed) add("--seed", std::to_string(s.seed));
  if (s.compile.arch != usual.compile.arch) add("--cuda-arch", s.compile.arch);
  for (const std::string& d : s.compile.defines) add("-D", d);
  for (const std::filesystem::path& d : s.compile.includes) add("-I", d.string());
  const std::string& gpu = machine.empty() ? o.config.gpu : machine;
  if (!gpu.empty()) add("--gpu", gpu);
  if (!o.config.file.empty()) add("--config", o.config.file);
  for (const std::string& set : o.config.sets) add("--set", set);
  return text;
}

// Without the designs that cannot be built.
std::string compare_options(const CompareOptions& o, const study::ComparePlan& plan) {
  std::string text = same_options(o);
  for (const std::string& list : o.designs) {
    std::vector<std::string> kept;
    for (const study::DesignItem& item : study::design_items(list, study::design_catalog()))
      if (!plan.plan.refused.contains(item.name)) kept.push_back(item.text);
    if (!kept.empty()) text += " --designs " + shell_word(join(kept, ","));
  }
  return text;
}

std::string store_option(const CompareOptions& o) {
  return o.store.empty() ? "" : " --store " + shell_word(o.store);
}

std::string shell_words(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& word : all) text += " " + shell_word(word);
  return text;
}

// Two workloads of the program that are not compared yet.
std::vector<std::string> others(const std::string& besides) {
  std::vector<std::string> names;
  for (const workload::Workload* w : workloads::all_workloads())
    if (w->info().name != besides && names.size() < 2) names.push_back(w->info().name);
  return names;
}

}  // namespace

std::string machine_summary(const gpu::GpuSpec& s) {
  return fmt::format("{}, {}, {}, {} of DRAM, at {}", clusters_summary(s), l1_summary(s), l2_summary(s),
                     scaled(gpu::peak_rates(s).dram_bytes, "B/s"), to_string(s.gpu.clock));
}

std::string workload_summary(const ChosenWorkload& chosen) {
  const workload::WorkloadInfo& info = chosen.workload().info();
  if (!chosen.contents().empty()) return fmt::format("your kernel, {}", info.summary);
  std::vector<std::string> input;
  for (const auto& [name, value] : chosen.workload().parameters(chosen.input()))
    input.push_back(fmt::format("{} {}", name, value));
  return fmt::format("{}. Input '{}': {}", info.summary, workload::name(chosen.input().scale),
                     join(input, ", "));
}

std::vector<NextCommand> next_commands(const CompareOptions& o, const study::ComparePlan& plan,
                                       const study::Design& fastest) {
  const std::string heddle = program(), store = store_option(o);
  const std::string& first = o.workloads.front();
  std::vector<NextCommand> next;
  if (!plan.perturbed())
    next.push_back({fmt::format("{} compare{}{} --perturbations 3{}", heddle, shell_words(o.workloads),
                                compare_options(o, plan), store),
                    "is a difference more than chance?"});
  else
    next.push_back({fmt::format("{} results list --study {}{}", heddle, study::kCompareLabel, store),
                    "every run behind these tables"});
  if (o.workloads.size() > 1) {
    next.push_back(
        {fmt::format("{} compare {}{}{}", heddle, shell_word(first), compare_options(o, plan), store),
         "one of them more closely"});
    next.push_back(
        {fmt::format("{} results export --csv - --study {} --statistic gpu.cycles,l1.read_hit_rate{}", heddle,
                     study::kCompareLabel, store),
         "any statistic of these runs"});
    return next;
  }
  std::string sets;
  for (const study::Assignment& a : fastest.sets) sets += " --set " + shell_word(short_assignment(a.text));
  next.push_back(
      {fmt::format("{} funnel {}{}{}", heddle, shell_word(first), same_options(o, fastest.machine), sets),
       fmt::format("where the requests of {} go", fastest.name)});
  if (o.workload.launch.empty())
    next.push_back({fmt::format("{} compare {}{}{}{}", heddle, shell_word(first), shell_words(others(first)),
                                compare_options(o, plan), store),
                    "more workloads (heddle list)"});
  else
    next.push_back(
        {fmt::format("{} run {}{}{}", heddle, shell_word(first), same_options(o, fastest.machine), sets),
         fmt::format("where the cycles of {} went", fastest.name)});
  return next;
}

}  // namespace heddle::cli
