#include <algorithm>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "base/text.h"
#include "gpu/catalog.h"
#include "gpu/presets.h"
#include "study/design/design_catalog.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

// "BKP (backprop.1)", of all kernels that papers call by more than their program's name and a number.
std::vector<std::string> kernel_labels() {
  std::vector<std::string> labels;
  for (const workload::Workload* w : workloads::all_workloads()) {
    const workload::WorkloadInfo& i = w->info();
    for (std::size_t k = 1; k <= i.kernels.size(); ++k) {
      const std::string label = lower(i.kernels[k - 1].label);
      bool known = label.empty();
      for (const std::string& of : {i.name, i.abbreviation})
        known |= label == lower(of) || label == fmt::format("{}_{}", lower(of), k);
      if (!known) labels.push_back(fmt::format("{} ({}.{})", i.kernels[k - 1].label, i.name, k));
    }
  }
  return labels;
}

// "RAY (raytrace)", of all programs that papers do not agree on.
std::vector<std::string> further_names() {
  std::vector<std::string> names;
  for (const workload::Workload* w : workloads::all_workloads())
    for (const std::string& name : w->info().also)
      names.push_back(fmt::format("{} ({})", name, w->info().name));
  return names;
}

void list_workloads() {
  std::size_t name = 11, paper = 6, suite = 12;
  for (const workload::Workload* w : workloads::all_workloads()) {
    name = std::max(name, w->info().name.size());
    paper = std::max(paper, w->info().abbreviation.size());
    suite = std::max(suite, w->info().suite.size());
  }
  std::cout << fmt::format("{:<{}} {:<{}} {:<{}} {:<7} {}\n", "workload", name, "paper", paper, "suite",
                           suite, "kernels", "what it does");
  for (const workload::Workload* w : workloads::all_workloads()) {
    const workload::WorkloadInfo& i = w->info();
    std::cout << fmt::format("{:<{}} {:<{}} {:<{}} {:<7} {}{}\n", i.name, name, i.abbreviation, paper,
                             i.suite, suite, i.kernels.size(), i.summary, i.order_sensitive ? " *" : "");
  }
  for (const workload::Workload* w : workloads::all_workloads())
    if (w->info().order_sensitive)
      std::cout << fmt::format("* {}: {}\n", w->info().name, w->info().order_reason);
  std::cout
      << "\nScales: tiny, small, paper. Details: heddle list WORKLOAD. Run: heddle run WORKLOAD --gpu GPU\n"
         "One kernel of a program: WORKLOAD.K (lud.2), or as papers print it (LUD_2). The program runs as\n"
         "it is; launches of other kernels are executed, not simulated.\n";
  if (const std::vector<std::string> names = further_names(); !names.empty())
    std::cout << wrapped("Programs that have further names in papers: " + join(names, ", ") + ".", 100, 0);
  if (const std::vector<std::string> labels = kernel_labels(); !labels.empty())
    std::cout << wrapped("Kernels with a name of their own in papers: " + join(labels, ", ") + ".", 100, 0);
}

void list_gpus() {
  std::cout << fmt::format("\n{:<16} {}\n", "GPU", "what it is (heddle describe GPU)");
  for (const gpu::Preset& p : gpu::presets()) std::cout << fmt::format("{:<16} {}\n", p.name, p.description);
  std::cout
      << "A file of your own works wherever a GPU's name does: inherits = \"v100\", then what differs.\n";
}

void list_designs() {
  const std::vector<study::NamedDesign>& designs = study::design_catalog().designs;
  std::size_t width = 11;
  for (const study::NamedDesign& d : designs) width = std::max(width, d.design.name.size());
  std::cout << fmt::format("\n{:<{}} {}\n", "design", width,
                           "what it changes (heddle compare WORKLOAD --designs NAME,NAME)");
  for (const study::NamedDesign& d : designs)
    std::cout << fmt::format("{:<{}} {}\n", d.design.name, width, d.design.description);
}

void list_slots() {
  for (const gpu::Slot& slot : gpu::catalog()) {
    std::cout << fmt::format("\n{}: --set {}=NAME\n", slot.name, slot.key);
    for (const config::NamedChoice& c : slot.implementations())
      std::cout << fmt::format("  {:<18} {}\n", c.name, c.description);
  }
}

void show_workload(const workload::Workload& w) {
  const workload::WorkloadInfo& i = w.info();
  std::vector<std::string> from{i.suite, i.abbreviation};
  from.insert(from.end(), i.also.begin(), i.also.end());
  std::cout << fmt::format("{} ({}): {}\n", i.name, join(from, ", "), i.summary);
  if (i.order_sensitive) std::cout << fmt::format("The result depends on order: {}\n", i.order_reason);
  if (i.kernels.size() > 1) {
    std::cout << "\nkernels, by the order of their first launch\n";
    for (std::size_t k = 1; k <= i.kernels.size(); ++k) {
      const workload::KernelInfo& kernel = i.kernels[k - 1];
      std::cout << fmt::format("  {:<22} {}{}\n", fmt::format("{}.{}", i.name, k), kernel.function,
                               kernel.label.empty() ? "" : fmt::format(" ({})", kernel.label));
    }
  }
  for (workload::Scale s : {workload::Scale::Tiny, workload::Scale::Small, workload::Scale::Paper}) {
    std::cout << fmt::format("\n{}\n", workload::name(s));
    for (const auto& [name, value] : w.parameters({s, 1}))
      std::cout << fmt::format("  {:<22} {}\n", name, value);
  }
}

int list_all() {
  list_workloads();
  list_gpus();
  list_designs();
  list_slots();
  return 0;
}

}  // namespace

int list_command(const ListOptions& options) {
  if (options.workload.empty()) return list_all();
  show_workload(require_workload(options.workload));
  return 0;
}

}  // namespace heddle::cli
