#include "energy/energy_stats.h"

#include <algorithm>

namespace heddle::energy {
namespace {

struct Names {
  const char *spent, *standing;
  const char *of_spent, *of_standing;
  const char* part;
};
constexpr Names kNames[mem::kRegions] = {
    {"sm", "sm_static", "Instructions, registers and shared memory of the SMs",
     "Leakage and clocks of the SMs", "SMs"},
    {"l1", "l1_static", "Accesses to L1s and their MSHRs", "Leakage of the L1s", "L1s"},
    {"merging", "merging_static", "Accesses to what merges requests: load fronts, clusters' mergers",
     "Leakage of what merges requests", "merging"},
    {"core_network", "core_network_static", "Flits and clock of the networks between SMs and L1s",
     "Leakage of the networks between SMs and L1s", "networks of the L1s"},
    {"network", "network_static", "Flits and clock of the networks to L2 and back",
     "Leakage of the networks to L2 and back", "networks"},
    {"l2", "l2_static", "Accesses to L2 and its MSHRs", "Leakage of L2", "L2"},
    {"dram", "dram_static", "Rows opened, bytes and refreshes of DRAM", "DRAM for being there", "DRAM"}};

}  // namespace

void EnergyStats::statistics(stats::Visitor& v) {
  for (std::size_t r = 0; r < mem::kRegions; ++r)
    v.counter(kNames[r].spent, spent[r], {"pJ", kNames[r].of_spent});
  for (std::size_t r = 0; r < mem::kRegions; ++r)
    v.counter(kNames[r].standing, standing[r], {"pJ", kNames[r].of_standing});
  v.counter("other_static", other,
            {"pJ", "What is in no structure: memory controllers, links to the host, regulators"});
  v.counter("static", all_standing, {"pJ", "All of it for being there"});
  v.counter("total", total, {"pJ", "All of it"});
}

std::array<std::uint64_t, EnergyStats::kOverTime> EnergyStats::over_time() const {
  std::array<std::uint64_t, kOverTime> all{};
  all.front() = all_standing;
  std::copy(spent.begin(), spent.end(), all.begin() + 1);
  return all;
}

const std::array<OverTime, EnergyStats::kOverTime>& energy_over_time() {
  static const auto all = [] {
    std::array<OverTime, EnergyStats::kOverTime> made;
    const std::string group = std::string(EnergyStats::kGroup) + ".";
    made.front() = {group + "static", "power.idle", "static, of all parts"};
    for (std::size_t r = 0; r < mem::kRegions; ++r)
      made[r + 1] = {group + kNames[r].spent, std::string("power.") + kNames[r].spent, kNames[r].part};
    return made;
  }();
  return all;
}

}  // namespace heddle::energy
