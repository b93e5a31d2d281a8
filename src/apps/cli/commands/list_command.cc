#include <algorithm>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "gpu/catalog.h"
#include "gpu/presets.h"
#include "study/design/design_catalog.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

void list_workloads() {
  std::cout << fmt::format("{:<14} {:<7} {:<12} {}\n", "workload", "paper", "suite", "what it does");
  for (const workload::Workload* w : workloads::all_workloads()) {
    const workload::WorkloadInfo& i = w->info();
    std::cout << fmt::format("{:<14} {:<7} {:<12} {}{}\n", i.name, i.abbreviation, i.suite, i.summary,
                             i.order_sensitive ? " *" : "");
  }
  for (const workload::Workload* w : workloads::all_workloads())
    if (w->info().order_sensitive)
      std::cout << fmt::format("* {}: {}\n", w->info().name, w->info().order_reason);
  std::cout
      << "\nScales: tiny, small, paper. Details: heddle list WORKLOAD. Run: heddle run WORKLOAD --gpu GPU\n";
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
  std::cout << fmt::format("{} ({}, {}): {}\n", i.name, i.suite, i.abbreviation, i.summary);
  if (i.order_sensitive) std::cout << fmt::format("The result depends on order: {}\n", i.order_reason);
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
