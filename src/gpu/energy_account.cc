#include "gpu/energy_account.h"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
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
  std::set<std::size_t> there = {0};  // what stands
  for (const energy::Term& t : model.terms)
    if (!t.standing) there.insert(1 + static_cast<std::size_t>(t.region));
  std::vector<mem::Curve> curves;
  for (const std::size_t i : there) {
    const energy::OverTime& of = energy::energy_over_time()[i];
    mem::Curve c{of.curve, of.title, "watts", "power", {of.statistic}};
    c.times = static_cast<double>(spec.gpu.clock.count()) * 1e-12;  // from picojoules per cycle
    c.stacked = true;
    curves.push_back(std::move(c));
  }
  return curves;
}

EnergyAccount::EnergyAccount(const GpuSpec& spec) : model_(energy_model(spec)) {}

void EnergyAccount::number(const MachineStats& s) {
  numbers_ = counter_numbers(s);
  for (const energy::Term& t : model_.terms)
    if (!numbers_.contains(t.statistic))
      throw Error(
          fmt::format("energy of '{}' is counted by '{}', which this machine does not have", t.what,
                      t.statistic),
          "a structure names counters of the machine (mem/structure.h); heddle explain --all lists them");
}

energy::EnergyStats EnergyAccount::of(MachineStats& s) {
  if (numbers_.empty()) number(s);
  CounterValues counted;
  s.statistics(counted);
  return model_.of([&](std::string_view statistic) {
    return static_cast<double>(counted.values[numbers_.find(statistic)->second]);
  });
}

}  // namespace heddle::gpu
