#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/commands.h"
#include "apps/cli/reports/character_report.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "study/clustering/advice.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

std::vector<ChosenWorkload> chosen(const CharacteriseOptions& o) {
  std::vector<std::string> names = o.workloads;
  if (names.empty())
    for (const workload::Workload* w : workloads::all_workloads()) names.push_back(w->info().name);
  std::vector<ChosenWorkload> all;
  for (const std::string& name : names) {
    WorkloadOptions one = o.workload;
    one.what = name;
    all.emplace_back(one);
  }
  return all;
}

nlohmann::ordered_json record(const CharacteriseOptions& o, const GpuConfig& gpu,
                              std::span<const CharacterisedKernel> kernels) {
  return {{"schema", "heddle.character/1"},
          {"source_hash", build_info().source_hash},
          {"gpu", gpu.chosen},
          {"scale", o.workload.scale},
          {"seed", o.workload.seed},
          {"configuration", gpu.config.dump(false)},
          {"kernels", character_json(kernels)}};
}

cta_clustering::StaticClass locality(const study::ProgramCode& code, const analysis::KernelCharacter& kernel,
                                     std::uint32_t line_bytes) {
  for (const study::LaunchedKernel& k : code.kernels)
    if (k.function == kernel.function) return study::text_of(code, k, line_bytes).found;
  return {};
}

}  // namespace

int characterise_command(const CharacteriseOptions& o) {
  GpuConfig gpu = load_used_gpu(o.config);
  const bool people = o.json != "-" && o.csv != "-";
  if (o.json == "-" && o.csv == "-") throw Error("--json - and --csv -", "Only one of them fits there.");
  const auto line = static_cast<std::uint32_t>(gpu.spec.gpu.l1.tags.line.count());
  int status = 0;
  std::vector<CharacterisedKernel> kernels;
  for (const ChosenWorkload& w : chosen(o)) {
    const analysis::Character c = analysis::characterise(w.workload(), w.input(), gpu.spec, o.threads);
    // A user's kernel may have nothing to compare with.
    if (!c.verification.ok && (w.contents().empty() || c.verification.compared != 0)) {
      std::cerr << fmt::format("heddle: {}: the result is wrong: {}\n", w.name(),
                               visible(c.verification.detail));
      status = 1;
    }
    const study::ProgramCode code = study::program_code(w.workload(), w.input());
    for (const analysis::KernelCharacter& k : c.kernels) kernels.push_back({k, locality(code, k, line)});
  }
  if (!o.csv.empty() && o.csv != "-") write_file(o.csv, character_csv(kernels));
  if (o.csv == "-") std::cout << character_csv(kernels);
  const std::string json = o.json.empty() ? "" : record(o, gpu, kernels).dump(2) + "\n";
  if (!o.json.empty() && o.json != "-") write_file(o.json, json);
  if (o.json == "-") std::cout << json;
  if (!people) return status;
  std::cout << fmt::format("{} of {} at scale {} on {}. What the columns mean: docs/characterise.md\n\n",
                           kernels.size() == 1 ? "1 kernel" : fmt::format("{} kernels", kernels.size()),
                           o.workloads.empty() ? "all workloads" : join(o.workloads, ", "), o.workload.scale,
                           gpu.chosen);
  print_character(kernels, std::cout);
  return status;
}

}  // namespace heddle::cli
