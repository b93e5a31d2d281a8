#include "gpu/machine_stats.h"

#include "mem/potential_meter.h"
#include "stats/snapshot.h"

namespace heddle::gpu {

void RunStats::statistics(stats::Visitor& v) {
  v.counter("cycles", cycles, {"cycles", "Core cycles of all launches, launch overhead included"});
  v.counter("launches", launches, {"launches", "Kernels launched"});
  v.counter("picoseconds", picoseconds, {"ps", "The same time at the core clock"});
  v.counter(
      "ctas_only_executed", ctas_only_executed,
      {"CTAs", "CTAs that limit.kernel_cycles left out: executed for their results, in no other statistic"});
  v.counter("ctas_cut", ctas_cut,
            {"CTAs", "CTAs that limit.kernel_cycles cut off: simulated until then, the rest only executed"});
}

void SoftwareStats::statistics(stats::Visitor& v) {
  v.counter("launches", launches, {"launches", "Launches that software.rewriter saw"});
  v.counter("rewritten", rewritten,
            {"launches", "Of these, of kernels that it changed; the others run as they are"});
}

void MachineStats::statistics(stats::Visitor& v) {
  v.group("gpu", gpu);
  groups.statistics(v);
}

void MachineStats::add(const MachineStats& other) {
  stats::accumulate(gpu, other.gpu);
  groups.add(other.groups);
}

const mem::PotentialStats& MachineStats::potential(std::string_view level) const {
  return groups.get<mem::PotentialLevel>("potential." + std::string(level));
}

}  // namespace heddle::gpu
