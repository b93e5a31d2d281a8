#include "energy/energy_stats.h"

namespace heddle::energy {
namespace {

struct Names {
  const char *spent, *standing;
  const char *of_spent, *of_standing;
};
constexpr Names kNames[mem::kRegions] = {
    {"sm", "sm_static", "Instructions, registers and shared memory of the SMs",
     "Leakage and clocks of the SMs"},
    {"l1", "l1_static", "Accesses to L1s and their MSHRs", "Leakage of the L1s"},
    {"merging", "merging_static", "Accesses to what merges requests: load fronts, clusters' mergers",
     "Leakage of what merges requests"},
    {"core_network", "core_network_static", "Flits and clock of the networks between SMs and L1s",
     "Leakage of the networks between SMs and L1s"},
    {"network", "network_static", "Flits and clock of the networks to L2 and back",
     "Leakage of the networks to L2 and back"},
    {"l2", "l2_static", "Accesses to L2 and its MSHRs", "Leakage of L2"},
    {"dram", "dram_static", "Rows opened, bytes and refreshes of DRAM", "DRAM for being there"}};

}  // namespace

void EnergyStats::statistics(stats::Visitor& v) {
  for (std::size_t r = 0; r < mem::kRegions; ++r)
    v.counter(kNames[r].spent, spent[r], {"pJ", kNames[r].of_spent});
  for (std::size_t r = 0; r < mem::kRegions; ++r)
    v.counter(kNames[r].standing, standing[r], {"pJ", kNames[r].of_standing});
  v.counter("other_static", other,
            {"pJ", "What is in no structure: memory controllers, links to the host, regulators"});
  v.counter("total", total, {"pJ", "All of it"});
}

}  // namespace heddle::energy
