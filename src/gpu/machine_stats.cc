#include "gpu/machine_stats.h"

#include "stats/snapshot.h"

namespace heddle::gpu {

void RunStats::statistics(stats::Visitor& v) {
  v.counter("cycles", cycles, {"cycles", "Core cycles of all launches, launch overhead included"});
  v.counter("launches", launches, {"launches", "Kernels launched"});
  v.counter("picoseconds", picoseconds, {"ps", "The same time at the core clock"});
}

void MachineStats::statistics(stats::Visitor& v) {
  v.group("gpu", gpu);
  v.group("sm", sm);
  v.group("l1", l1);
  v.group("cluster", cluster);
  v.group("merger", merger);
  v.group("request_network", request_network);
  v.group("reply_network", reply_network);
  v.group("partition", partition);
  v.group("l2", l2);
  v.group("dram", dram);
}

void MachineStats::add(const MachineStats& other) {
  stats::accumulate(*this, other);
}

}  // namespace heddle::gpu
