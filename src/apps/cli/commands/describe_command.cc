// `heddle describe`: a machine in text.
#include <iostream>
#include <set>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/reports/cost_report.h"
#include "apps/cli/reports/machine_text.h"
#include "base/error.h"
#include "energy/machine_cost.h"
#include "gpu/stages.h"
#include "study/design/design_catalog.h"
#include "study/evaluation/design_pairs.h"

namespace heddle::cli {
namespace {

// The machine, then what its design sets, then --set.
ConfigOptions with_design(const DescribeOptions& o) {
  ConfigOptions all = o.config;
  if (o.design.empty()) return all;
  const std::vector<study::Design> designs =
      study::choose_designs(std::vector<std::string>{o.design}, study::design_catalog());
  if (designs.size() != 1)
    throw Error(fmt::format("--design {} names {} designs", o.design, designs.size()),
                "describe one machine at a time");
  std::vector<std::string> sets;
  for (const study::Assignment& a : designs.front().sets) sets.push_back(a.text);
  all.sets.insert(all.sets.begin(), sets.begin(), sets.end());
  return all;
}

int print_cost(const GpuConfig& gpu, const DescribeOptions& o) {
  const energy::Cells cells(energy::find_tech(gpu.spec.gpu.energy.process));
  const double reach_mm = o.link_um == 0 ? energy::kReachMm : o.link_um / 1e3;
  const auto structures = gpu::structures(gpu.spec.gpu);
  const energy::MachineCost cost = energy::machine_cost(cells, structures, reach_mm);
  const energy::EnergyModel energy =
      energy::energy_model(gpu.spec.gpu.energy, structures, gpu.spec.gpu.gpu.clock, reach_mm);
  if (o.json)
    std::cout << cost_json(cost, energy, cells.tech());
  else
    std::cout << fmt::format("{}: {}\n", gpu.chosen, gpu.spec.gpu.gpu.name)
              << cost_table(cost, cells.tech(), gpu::without_structure(gpu.spec.gpu)) << energy_table(energy);
  return 0;
}

int print_pairs(const GpuConfig& gpu, const DescribeOptions& o) {
  const study::Table t = study::design_pairs(study::design_catalog(), gpu.config, gpu.chosen);
  std::cout << (o.markdown ? study::as_markdown(t) : study::as_text(t));
  return 0;
}

// Only what differs: a value, or a parameter that one of them does not have.
int print_difference(const GpuConfig& a, const GpuConfig& b) {
  std::set<std::string> keys;
  for (const auto* g : {&a, &b})
    for (const auto& entry : g->config.entries()) keys.insert(entry.first);
  auto value = [](const GpuConfig& g, const std::string& key) {
    const config::Entry* e = g.config.find(key);
    return e == nullptr ? std::string("-") : e->value.toml();
  };
  std::size_t width = 9, left = a.chosen.size(), differ = 0;
  for (const std::string& key : keys)
    if (value(a, key) != value(b, key)) {
      width = std::max(width, key.size());
      left = std::max(left, value(a, key).size());
      ++differ;
    }
  if (differ == 0) {
    std::cout << fmt::format("{} and {} are the same machine\n", a.chosen, b.chosen);
    return 0;
  }
  std::cout << fmt::format("{:<{}}  {:<{}}  {}\n", "parameter", width, a.chosen, left, b.chosen);
  for (const std::string& key : keys)
    if (const std::string x = value(a, key), y = value(b, key); x != y)
      std::cout << fmt::format("{:<{}}  {:<{}}  {}\n", key, width, x, left, y);
  return 0;
}

}  // namespace

int describe_command(const DescribeOptions& o) {
  const GpuConfig gpu = load_used_gpu(with_design(o));
  if (!o.other.empty()) {
    ConfigOptions other;
    other.gpu = o.other;
    return print_difference(gpu, load_gpu(other));
  }
  if (o.cost) return print_cost(gpu, o);
  if (o.pairs) return print_pairs(gpu, o);
  std::cout << machine_text(gpu);
  if (o.all) std::cout << "\nevery parameter, and where it comes from\n\n" << gpu.config.dump();
  return 0;
}

}  // namespace heddle::cli
