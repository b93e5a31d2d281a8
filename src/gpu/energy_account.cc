#include "gpu/energy_account.h"

#include <algorithm>
#include <vector>

#include "energy/machine_cost.h"
#include "gpu/stages.h"
#include "stats/snapshot.h"

namespace heddle::gpu {
namespace {

// The values of all counters, in the order of declaration.
class CounterValues final : public stats::Visitor {
 public:
  void counter(std::string_view, std::uint64_t& value, const stats::About&) override {
    values.push_back(value);
  }
  void peak(std::string_view, std::uint64_t&, const stats::About&) override {}
  void histogram(std::string_view, stats::HistogramRef, const stats::About&) override {}
  void ratio(std::string_view, const std::uint64_t&, const std::uint64_t&, const stats::About&) override {}
  void derived(std::string_view, double, std::string_view, const stats::About&) override {}
  std::vector<std::uint64_t> values;
};

// Their names, in the same order.
std::map<std::string, std::size_t, std::less<>> counter_numbers(const MachineStats& s) {
  stats::Snapshot all;
  all.add("", s);
  std::map<std::string, std::size_t, std::less<>> numbers;
  for (const stats::Statistic& one : all.all())
    if (one.info.kind == stats::Kind::Counter) numbers.emplace(one.info.name, numbers.size());
  return numbers;
}

}  // namespace

energy::EnergyModel energy_model(const GpuSpec& spec) {
  return energy::energy_model(spec.energy, structures(spec), spec.gpu.clock, energy::kReachMm);
}

std::vector<mem::Curve> power_curves(const GpuSpec& spec) {
  const energy::EnergyModel model = energy_model(spec);
  const auto& all = energy::energy_over_time();
  std::vector<mem::Curve> curves;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool there =
        i >= mem::kRegions || std::any_of(model.terms.begin(), model.terms.end(), [&](const energy::Term& t) {
          return !t.standing && static_cast<std::size_t>(t.region) == i;
        });
    if (!there) continue;
    mem::Curve c{all[i].curve, all[i].title, "W", "power", {all[i].statistic}};
    c.times = static_cast<double>(spec.gpu.clock.count()) * 1e-12;  // from picojoules per cycle
    c.stacked = true;
    curves.push_back(std::move(c));
  }
  return curves;
}

EnergyAccount::EnergyAccount(const GpuSpec& spec) : model_(energy_model(spec)) {}

energy::EnergyStats EnergyAccount::of(MachineStats& s) {
  if (numbers_.empty()) numbers_ = counter_numbers(s);
  CounterValues counted;
  s.statistics(counted);
  return model_.of([&](std::string_view statistic) {
    const auto at = numbers_.find(statistic);
    return at == numbers_.end() ? 0.0 : static_cast<double>(counted.values[at->second]);
  });
}

}  // namespace heddle::gpu
